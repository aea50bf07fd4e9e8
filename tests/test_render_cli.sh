#!/bin/bash
# `skein render` from outside: pictures, series, videos, colours, cameras; bad input, a full disk, no ffmpeg, Ctrl-C.
# Usage: test_render_cli.sh PATH_OF_SKEIN ROOT
. "$(dirname "$0")/cli_support.sh"
cd "$work" || exit 2

refuses() { # refuses NAME CODE ARGUMENTS...: skein exits with CODE and one line on stderr
  exits "$@"
  if [ "$(wc -l <err)" -eq 1 ]; then ok "$1 (one line)"; else not_ok "$1 (one line)" "$(head -c 300 err)"; fi
}
nothing_left() { # nothing_left NAME PATTERN: no file has such a name
  if compgen -G "$2" >/dev/null; then not_ok "$1" "$(compgen -G "$2" | head -3)"; else ok "$1"; fi
}

# Width, height and channels from the header of a PNG file.
cat >png.py <<'EOP'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND"
w, h, depth, colour = struct.unpack(">IIBB", data[16:26])
print(f"{w}x{h}x{ {2: 3, 6: 4}[colour] }")
EOP
shape() { $python png.py "$1"; }

cat >scene.json <<'EOS'
{"title": "A cord and a box", "units": {"length": "cm"}, "time": {"duration": 0.2, "dt": 0.002},
 "materials": {"cord": {"preset": "rope", "radius": 0.3, "E": 2e6}},
 "rods": [{"name": "cord", "model": "mass-spring", "elements": 8, "material": "cord", "group": "cord", "length": 12,
           "root": {"type": "free", "position": [-6, 0, 3], "direction": [1, 0, 0]}}],
 "bodies": [{"name": "floor", "shape": {"type": "plane"}},
            {"name": "box", "shape": {"type": "box", "size": [2, 2, 2]}, "position": [0, 0, 1]}],
 "friction": 0.3, "output": {"fps": 50}}
EOS
"$skein" run scene.json -o run.h5 -q || { echo "not ok run"; exit 1; }
fast=(--size 64x48 --samples 4 -q)

# ---- Pictures ----
exits "the last frame" 0 render run.h5 -o a.png "${fast[@]}"
check "its size" [ "$(shape a.png)" = 64x48x3 ]
exits "one thread" 0 render run.h5 -o one.png "${fast[@]}" -j1
exits "three threads" 0 render run.h5 -o three.png "${fast[@]}" -j3
check "the same bits" cmp one.png three.png
check "the last frame is the default" cmp a.png one.png
exits "by number from the end" 0 render run.h5 -o b.png -f -1 "${fast[@]}"
check "the same frame" cmp a.png b.png
exits "transparent" 0 render run.h5 -o t.png --transparent "${fast[@]}"
check "with alpha" [ "$(shape t.png)" = 64x48x4 ]
exits "a series" 0 render run.h5 -o "s_%03d.png" -n 2:8:3 "${fast[@]}"
check "its files" [ "$(echo s_*.png)" = "s_002.png s_005.png s_008.png" ]
for by in material group speed status force island; do
  exits "colour by $by" 0 render run.h5 -o "c-$by.png" -f 5 -c $by --size 320x240 --samples 1 -q
done
check "colours differ" sh -c '! cmp -s c-speed.png c-status.png'
exits "camera, shading, background, title" 0 render run.h5 -o d.png --eye 0.3,-0.3,0.2 --target 0,0,0.01 --fov 25 --zoom 1.2 \
  --shading hair --radius-scale 0.1 --background "#102030,#405060" --title "" --blur 1 -f 4 "${fast[@]}"
exits "fitted camera" 0 render run.h5 -o e.png --azimuth 90 --elevation 90 --range 0:1 -c speed --no-legend "${fast[@]}"
"$skein" render run.h5 -o f.png --size 64x48 >out 2>err; check "a summary" grep -q '^f.png: 1 frame of 64x48 in ' out

# ---- Videos ----
if command -v ffmpeg >/dev/null; then
  exits "video" 0 render run.h5 -o v.mp4 "${fast[@]}"
  check "H.264, frames, rate" [ "$(ffprobe -v error -count_frames -show_entries stream=codec_name,pix_fmt,nb_read_frames,r_frame_rate -of csv=p=0 v.mp4)" = h264,yuv420p,50/1,11 ]
  exits "slower" 0 render run.h5 -o w.mp4 -n 0:10:2 --fps 10 "${fast[@]}"
  check "its rate" [ "$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames,r_frame_rate -of csv=p=0 w.mp4)" = 10/1,6 ]
  refuses "odd size" 2 render run.h5 -o x.mp4 --size 63x48
  refuses "one frame" 2 render run.h5 -o x.mp4 -f 3
  says "and says so" err "a video needs two frames"
  refuses "a name with %" 2 render run.h5 -o "x%d.mp4"
  refuses "no alpha" 2 render run.h5 -o x.mp4 --transparent
  "$skein" render run.h5 -o x.mp4 --size 1600x1200 --samples 64 -q 2>err &
  pid=$!
  sleep 1
  kill -INT $pid
  wait $pid
  check "Ctrl-C exits with 130" [ $? = 130 ]
  (ulimit -f 2; "$skein" render run.h5 -o x.mp4 --size 640x480 --samples 1 --crf 0 -q >out 2>err </dev/null)
  check "a full disk exits with 3" [ $? = 3 ]
  check "in one line" [ "$(wc -l <err)" = 1 ]
  nothing_left "no half video" "x*.mp4*"
else
  echo "# ffmpeg is not there: videos are not tested"
fi
mkdir empty
PATH=$work/empty "$skein" render run.h5 -o y.mp4 "${fast[@]}" >out 2>err
check "without ffmpeg: exit 3" [ $? = 3 ]
says "and what to do" err "ffmpeg is not on the path"

# ---- Bad input ----
refuses "no run" 2 render -o a.png
refuses "two runs" 2 render run.h5 run.h5 -o a.png
refuses "no output" 2 render run.h5
refuses "another ending" 2 render run.h5 -o a.gif
refuses "two numbers in the name" 2 render run.h5 -o "a%d_%d.png"
refuses "no number in the name" 2 render run.h5 -o "a%s.png"
refuses "not a run" 2 render scene.json -o z.png
refuses "no such file" 3 render none.h5 -o z.png
refuses "beyond the end" 2 render run.h5 -o z.png -f 11
says "the range" err "has frames 0 to 10"
refuses "range beyond the end" 2 render run.h5 -o "z%d.png" -n 5:99
refuses "range backwards" 2 render run.h5 -o "z%d.png" -n 5:2
refuses "range that is none" 2 render run.h5 -o "z%d.png" -n 5
refuses "frame and frames" 2 render run.h5 -o z.png -f 1 -n 1:2
refuses "many frames, one name" 2 render run.h5 -o z.png -n 1:3
refuses "unknown colour" 2 render run.h5 -o z.png -c sped
says "a suggestion" err "speed"
refuses "unknown background" 2 render run.h5 -o z.png -b studo
refuses "bad hex" 2 render run.h5 -o z.png -b "#12345"
for size in 0x0 960 960x 1e3x10 99999x99999 15x720 -5x5 960x720x3; do exits "size $size" 2 render run.h5 -o z.png --size $size; done
refuses "no samples" 2 render run.h5 -o z.png --samples 0
refuses "point of two" 2 render run.h5 -o z.png --eye 1,2
refuses "point of four" 2 render run.h5 -o z.png --eye 1,2,3,4
refuses "eye in the target" 2 render run.h5 -o z.png --eye 1,2,3 --target 1,2,3
refuses "range of colours" 2 render run.h5 -o z.png -c speed --range 2:1
refuses "no such folder" 3 render run.h5 -o nowhere/z.png
refuses "a folder" 3 render run.h5 -o empty/../empty.png/z.png
refuses "disk full" 3 render run.h5 -o /dev/full/z.png
(ulimit -f 1; "$skein" render run.h5 -o z.png --size 320x240 --samples 1 -q >out 2>err </dev/null)
check "a full disk exits with 3" [ $? = 3 ]
nothing_left "no half picture" "z*.png*"
"$skein" render run.h5 -o "z_%02d.png" --size 1600x1200 --samples 64 -q 2>err &
pid=$!
sleep 0.7
kill -INT $pid
wait $pid
check "Ctrl-C in a series exits with 130" [ $? = 130 ]
nothing_left "no temporary picture" "z_*.png.*"

# ---- A run that was cut short ----
sed 's/"duration": 0.2/"duration": 60/' scene.json >long.json
"$skein" run long.json -o cut.h5 -q &
pid=$!
for _ in $(seq 100); do sleep 0.1; [ -e cut.h5 ] && [ "$(ls cut.h5.d 2>/dev/null | wc -l)" -gt 4 ] && break; done
kill -KILL $pid
wait $pid 2>/dev/null
exits "a run that was killed" 0 render cut.h5 -o k.png "${fast[@]}"
head -c 3000 run.h5 >half.h5
"$skein" render half.h5 -o z.png "${fast[@]}" >out 2>err
check "half a file is refused" [ $? -ge 2 ]
check "in one line" [ "$(wc -l <err)" = 1 ]
nothing_left "and no picture" "z*.png*"

# ---- Bodies only ----
echo '{"bodies": [{"name": "box", "shape": {"type": "box", "size": [1, 1, 1]}, "motion": {"velocity": [0, 0, 0]}}],
       "time": {"duration": 0.02}}' >bodies.json
if "$skein" run bodies.json -o bodies.h5 -q 2>/dev/null; then exits "bodies without rods" 0 render bodies.h5 -o bodies.png "${fast[@]}"; fi
exits "help" 0 render --help
check "names the colours" grep -q island out

echo "$failures failures"
[ $failures = 0 ]
