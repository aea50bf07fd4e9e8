#!/usr/bin/python3
"""test_house.py SOURCE [COUNTS]: what the code of a step is held to. In src/world no function has more than 40 lines,
no file more than 400, no struct more than 15 members (but sk_limits), and no number that decides something stands
outside limits.h; no room but src/rod names a rod model. Prints what it counts and what breaks a rule; with COUNTS that
is no failure."""

import glob
import os
import re
import sys
import tempfile

MOST_FUNCTION, MOST_FILE, MOST_MEMBERS = 40, 400, 15

# Numbers that decide nothing: halves and the like in formulas, and slacks of rounding.
FORMULAS = {'0.5', '0.25', '0.125', '1.0', '3.0', '8.0'}
ROUNDING = re.compile(r'1e-(6|9|12|16)')
# Checks of what a user gives, series of small angles, a cubic through four values and its bisection, the slowest
# pendulum, where a push along an axis acts, the number of a file format.
EXEMPT = {
    'crossing.c': {'11', '18', '45', '36', '27', '60'},
    'live.c': {'1e6', '1e12'},
    'rigid_look.c': {'1e-4', '1e-2'},
    'rows.c': {'0.01', '18'},
    'settle.c': {'1.5'},
    'snapshot.c': {'MAGIC'},
    'rigid.h': {'12'},
    'rigid_friction.c': {'12'},
}
# Sizes, and how many objects a thread is worth: they change no motion.
NOT_LIMITS = re.compile(r'^\s*#|sk_team\(|schedule\(|char \w+\[\d+\]')
NAMED = re.compile(r'\benum \{.*\d|\bstatic const (int|double) \w+ = \d|^ +[A-Z]\w+ = \d+,?$')
MODELS = re.compile(r'\bSKEIN_(SUPER_HELIX|MASS_SPRING|CORDE|DER)(_\w+)?\b|\bsk_(super_)?helix\w*')


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group(0))


def code_of(path):
    """The text without comments, strings and characters, line by line as it was."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)


def functions_of(code):
    """(name, lines): a body begins and ends at the left margin."""
    lines = code.split('\n')
    for i, line in enumerate(lines):
        if line != '{':
            continue
        first = i
        while first > 0 and lines[first - 1].strip() and not re.search(r'[;}]$|^#', lines[first - 1]):
            first -= 1
        last = lines.index('}', i)
        name = re.search(r'(\w+)\(', ' '.join(lines[first:i]))
        yield (name.group(1) if name else '?'), last - first + 1


def members_of(body):
    """How many members a struct has; those of a struct in it count for that one."""
    flat = body
    while re.search(r'\{[^{}]*\}', flat):
        flat = re.sub(r'\{[^{}]*\}', '', flat)
    flat = re.sub(r'\([^()]*\)', '', flat)
    return sum(len(part.split(',')) for part in flat.split(';') if part.strip())


def structs_of(code):
    """(name, members), with the structs in structs."""
    for match in re.finditer(r'\bstruct\s*(\w*)\s*\{', code):
        depth, end = 1, match.end()
        while depth:
            depth += {'{': 1, '}': -1}.get(code[end], 0)
            end += 1
        after = re.match(r'\s*(\w*)', code[end:]).group(1)
        yield match.group(1) or after, members_of(code[match.end():end - 1])


def literals_of(code, name):
    """(line, what): numbers that decide something. Of whole ones: those that have a name, or two figures."""
    exempt = EXEMPT.get(name, set())
    for number, line in enumerate(code.split('\n'), 1):
        if NOT_LIMITS.search(line):
            continue
        if NAMED.search(line):
            if not exempt & set(re.findall(r'[\w.]+', line)):
                yield from ((number, word) for word in re.findall(r'\b(\w+) = \d', line))
            continue
        for text in re.findall(r'(?<![\w.])(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)(?![\w.])', line):
            decimal = re.search(r'[.eE]', text)
            plain = text in FORMULAS or ROUNDING.fullmatch(text) if decimal else len(text) < 2
            if not plain and text not in exempt:
                yield number, text


def limits_of(source):
    """How many limits there are: members of sk_limits in all its groups, and constants of the language."""
    path = os.path.join(source, 'src/world/limits.h')
    if not os.path.exists(path):
        return 0
    code = code_of(path)
    body = re.search(r'struct sk_limits \{(.*?)\n\}', code, re.S).group(1)
    return members_of(re.sub(r'struct \{|\}\s*\w+;', '', body)) + len(re.findall(r'\bSK_\w+ = \d', code))


def look(source):
    """(counts, faults)."""
    functions, structs, literals, files, models = [], [], [], [], []
    for path in sorted(glob.glob(os.path.join(source, 'src/world/*.[ch]'))):
        name, code = os.path.basename(path), code_of(path)
        files.append((code.count('\n'), name))
        functions += [(lines, name, function) for function, lines in functions_of(code)]
        structs += [(count, name, struct) for struct, count in structs_of(code) if struct != 'sk_limits']
        if name != 'limits.h':
            literals += [f'{name}:{number}: {text}' for number, text in literals_of(code, name)]
    for path in sorted(glob.glob(os.path.join(source, 'src/*/*.[ch]'))):
        where = os.path.relpath(path, os.path.join(source, 'src'))
        lines = [] if where.startswith('rod/') else code_of(path).split('\n')
        models += [f'{where}:{number}' for number, line in enumerate(lines, 1) if MODELS.search(line)]
    many = [s for s in structs if s[0] > MOST_MEMBERS]
    faults = [f'{at} names a rod model, which only src/rod knows' for at in models]
    faults += [f'{name}: {s} has {n} members, more than {MOST_MEMBERS}' for n, name, s in many]
    faults += [f'{name}: {f} has {n} lines, more than {MOST_FUNCTION}' for n, name, f in functions if n > MOST_FUNCTION]
    faults += [f'{name} has {n} lines, more than {MOST_FILE}' for n, name in files if n > MOST_FILE]
    faults += [f'{at} decides something and stands outside limits.h' for at in literals]
    longest, largest, most = max(functions), max(files), max(structs)
    counts = [f'files {len(files)}, longest {largest[1]} with {largest[0]} lines',
              f'functions {len(functions)}, longest {longest[2]} with {longest[0]} lines',
              f'structs {len(structs)}, largest {most[2]} with {most[0]} members, {len(many)} over {MOST_MEMBERS}',
              f'literals outside limits.h {len(literals)}',
              f'limits {limits_of(source)}',
              f'lines outside src/rod that name a rod model {len(models)}']
    return counts, faults


PLANTED = """/* 0.7 in a comment, "0.7" in words */
enum { MOST = 7 };
enum {
  LEAST = 3
};
static const int few = 3;
struct wide { int %s; };
static int hurry(int x)
{
%s  if (x > 1000 || x * 0.3 > 1) return SKEIN_DER;
  return 0.5 * x;
}
%s"""


def test_planted():
    """A file with each fault is found out."""
    text = PLANTED % (', '.join(f'm{k}' for k in range(16)), '  x++;\n' * 37, '\n' * 400)
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, 'src/world'))
        with open(os.path.join(folder, 'src/world/bad.c'), 'w', encoding='utf-8') as f:
            f.write(text)
        faults = look(folder)[1]
    wanted = ['names a rod model', 'wide has 16 members', 'hurry has 42 lines', 'bad.c has ', ': MOST ', ': few ',
              ': LEAST ', ': 1000 ', ': 0.3 ']
    missed = [w for w in wanted if not any(w in f for f in faults)]
    odd = [f for f in faults if not any(w in f for w in wanted)]
    return [f'a planted fault is not found: {w}' for w in missed] + [f'found, but not planted: {f}' for f in odd]


def main():
    counts, faults = look(sys.argv[1])
    if len(sys.argv) == 2:
        faults += test_planted()
    print('\n'.join(counts + faults))
    return 1 if faults and len(sys.argv) == 2 else 0


sys.exit(main())
