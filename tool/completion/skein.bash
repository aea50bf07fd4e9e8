# bash completion of the skein command: subcommands, options, names of solvers, tests and models, *.hdf5 files.

_skein_words()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_skein_files()
{
    local pattern
    for pattern in "$@"; do
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!$pattern" -- "$cur")
    done
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur")
    compopt -o filenames 2>/dev/null
}

_skein_value()
{
    local locals="secular mfb pac dac enum duriez06 duriez08 pyramid4"
    local with_enum="secular+enum mfb+enum pac+enum dac+enum duriez06+enum duriez08+enum pyramid4+enum"
    case $command:$prev in
        reproduce:--output | reproduce:-o | reproduce:--runs) _skein_files; return ;;
        reproduce:--steps | reproduce:--problems) COMPREPLY=(); return ;;
        measure:--against) _skein_files "*.h5"; return ;;
        measure:--reach | measure:--share | measure:--hold | measure:--slip | measure:--cell | measure:--outer)
            COMPREPLY=(); return ;;
        run:--resume | run:-r) _skein_files "*.h5"; return ;;
        export:--format | export:-f) _skein_words "usda vtp hair obj ply csv"; return ;;
        export:--up | export:-u) _skein_words "y z"; return ;;
        export:--unit) _skein_words "m cm mm"; return ;;
        export:--output | export:-o) _skein_files "*.usda" "*.pvd" "*.hair" "*.obj" "*.ply" "*.csv"; return ;;
        export:--frames | export:-n | export:--points) COMPREPLY=(); return ;;
        export:--contacts) return 1 ;;
        *:--hairs | *:--clump | *:--frizz | *:--hair-width | *:--hair-seed | *:--hair-group) COMPREPLY=(); return ;;
        run:--dump-problems | stats:--plot | measure:--plot) _skein_files; return ;;
        view:--output | view:-o) _skein_files "*.html"; return ;;
        view:--frames | view:-f | view:--max-size) COMPREPLY=(); return ;;
        render:--output | render:-o) _skein_files "*.png" "*.mp4"; return ;;
        render:--colour | render:-c) _skein_words "material group speed status force island"; return ;;
        render:--shading) _skein_words "auto hair surface"; return ;;
        render:--background | render:-b) _skein_words "studio dark white black"; return ;;
        render:--frame | render:-f | render:--frames | render:-n | render:--size | render:--samples | render:--range | \
            render:--radius-scale | render:--eye | render:--target | render:--fov | render:--azimuth | render:--elevation | \
            render:--zoom | render:--blur | render:--fps | render:--crf | render:--title) COMPREPLY=(); return ;;
        view:--port | view:-p | view:--host | view:--set | view:-s) COMPREPLY=(); return ;;
        knot:--port | knot:-p | knot:--host | knot:--set | knot:-s) COMPREPLY=(); return ;;
        run:--set | run:-s | run:--frames | run:-n | run:--dump-every) COMPREPLY=(); return ;;
    esac
    case $prev in
        --method | -m)
            if [[ $command == validate ]]; then _skein_words "super-helix mass-spring corde corde-explicit der der-projection bodies"
            else _skein_words "auto gs newton-ac newton-mfb admm ipm"; fi ;;
        --local | --locals | -l) _skein_words "$locals $with_enum" ;;
        --measure) _skein_words "rel fb" ;;
        --accelerate) _skein_words "none anderson" ;;
        --form)
            if [[ $command == gen ]]; then _skein_words "global local both"
            else _skein_words "explicit factored auto"; fi ;;
        --d) _skein_words "2 3" ;;
        --history | --csv) _skein_files "*.csv" ;;
        --model) _skein_words "super-helix mass-spring corde corde-explicit der der-projection bodies" ;;
        --plot) if [[ $command == validate ]]; then _skein_files; else _skein_files "*.svg"; fi ;;
        --output | -o) _skein_files "*.hdf5" "*.h5" ;;
        --tol | -t | --max-sweeps | --max-seconds | --threads | -j | --contacts | -n | --rods | -r | --dofs | --mu | \
            --seed | -s | --open | --stick) COMPREPLY=() ;;
        *) return 1 ;;
    esac
}

_skein()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local commands="solve info gen bench validate reproduce run stats measure view knot render export"
    local hairs="--hairs --clump --frizz --hair-width --hair-seed --hair-group"
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _skein_words "$commands help --help --version"
        return
    fi
    if _skein_value; then return; fi
    case $command:$cur in
        solve:-*) _skein_words "--method --local --tol --measure --max-sweeps --max-seconds --threads --form
            --accelerate --no-freeze --warm-start --guess --history --save --json --help" ;;
        info:-*) _skein_words "--json --help" ;;
        gen:-*) _skein_words "--contacts --rods --dofs --mu --seed --d --open --stick --form --output --help" ;;
        bench:-*) _skein_words "--tol --measure --max-sweeps --threads --locals --csv --plot --help" ;;
        validate:-*) _skein_words "--model --list --threads --json --plot --help" ;;
        validate:*) _skein_words "cantilever order helix bend-twist release energy frequencies euler column lateral ring
            incline stopping pulled isotropy ball stick-slip capstan knot dissipation units frame" ;;
        reproduce:-*) _skein_words "--output --quick --runs --problems --steps --threads --list --help" ;;
        reproduce:*) _skein_words "table1 spaghetti convergence local-global knot reef orbit double-loop rigid hair assembly
            hair-friction locals" ;;
        run:-*) _skein_words "--output --overwrite --frames --threads --set --strict --resume --dump-problems --dump-every --dump-missed
            --quiet --help" ;;
        run:*) _skein_files "*.json" ;;
        stats:-*) _skein_words "--json --csv --plot --help" ;;
        stats:*) _skein_files "*.h5" ;;
        measure:-*) _skein_words "--against --reach --share --hold --slip --cell --outer --json --csv --plot --help" ;;
        measure:*) _skein_files "*.h5" ;;
        view:-*) _skein_words "--output --frames --max-size --live --port --host --threads --set --no-open $hairs
            --help" ;;
        view:*) if [[ " ${COMP_WORDS[*]} " == *" --live "* ]]; then _skein_files "*.json"; else _skein_files "*.h5"; fi ;;
        knot:*) _skein_words "--port --host --threads --set --no-open --help" ;;
        export:-*) _skein_words "--format --output --frames --up --unit --points --bodies --no-bodies --contacts --quiet
            $hairs --help" ;;
        export:*) _skein_files "*.h5" ;;
        render:-*) _skein_words "--output --frame --frames --size --samples --colour --range --shading --radius-scale --eye --target
            --fov --azimuth --elevation --zoom --background --transparent --blur --fps --crf --title --no-legend --threads --quiet
            $hairs --help" ;;
        render:*) _skein_files "*.h5" ;;
        gen:*) _skein_words "hairlike manufactured" ;;
        bench:*) if ((COMP_CWORD == 2)); then _skein_words "friction"; else _skein_files "*.hdf5" "*.h5"; fi ;;
        help:*) _skein_words "$commands" ;;
        *) _skein_files "*.hdf5" "*.h5" ;;
    esac
}

complete -F _skein skein
