"""The host's side of random kernels (kernels.py): where the elements of arrays come from, and what becomes of them after a
launch. `Files` reads noise from files and appends whole arrays to one, to be compared element by element. `Sums` needs no
files: it computes the noise and prints a checksum for each array, so that whatever executes programs can be compared."""
from statements import FLOATS, HALVES, INTS, SIGNED


class Files:
    prelude = ""

    @staticmethod
    def fill(name, t, shape, first, bytes_each):
        """Statements that declare and fill an array; `first` is different for each."""
        return [f"var {name} = [{t}(0); {shape}];", f'read_array("{t}.noise", {first * bytes_each}, &mut {name});']

    @staticmethod
    def keep(name, t, rank, label):
        return [f'append_file("out", &{name});']


# Numbers worth trying, at least one in four; of f16 and bf16 those of f32, rounded.
def noise_function(t):
    if t in INTS:
        small = "% 25) - 9" if t in SIGNED else "% 25)"
        edges = f"[{t}(0), {t}(1), ~{t}(0), {t}(1) << {int(t[1:]) - 1}, ~({t}(1) << {int(t[1:]) - 1})]"
        return [f"fn noise_{t}(k: index) -> {t} {{", "    let h = mixed(k);", f"    let edges = {edges};",
                "    if h % 4 == 0 { return edges[(h >> 8) % 5]; }", f"    if h % 4 == 1 {{ return {t}(h >> 8); }}",
                f"    return {t}(i64((h >> 8) {small});", "}"]
    return [f"fn noise_{t}(k: index) -> {t} {{", "    let h = mixed(k);", f"    let zero = {t}(h & 0);",
            f"    let edges = [zero, -zero, {t}(1), {t}(1) / zero, {t}(-1) / zero, zero / zero, {t}(1.0e-6), {t}(-6.0e4)];",
            "    if h % 4 == 0 { return edges[(h >> 8) & 7]; }",
            f"    if h % 4 == 1 {{ return {t}(i64((h >> 8) & 0xffff) - 32768) / {t}(97); }}",
            f"    return {t}(i64((h >> 8) % 81) - 40) / {t}(4);", "}"]


# Any two floats that are not the same have other words: all NaN have one, and both zeros one each.
WORDS = """\
fn mixed(k: index) -> u64 {
    var h = u64(k) * 0x9e3779b97f4a7c15u64 + 0x632be59bd9b4e019u64;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u64;
    return h ^ (h >> 32);
}
fn word_of_f64(v: f64) -> u64 {
    if isnan(v) { return 1; }
    let sign = if copysign(1.0, v) < 0.0 { 1u64 << 63 } else { 0u64 };
    var rest = abs(v);
    var power: u64 = 2000;
    if rest == 0.0 || rest * 0.5 == rest { return sign | (if rest == 0.0 { 2u64 } else { 3u64 }); }
    while rest >= 18014398509481984.0 { rest /= 4194304.0; power += 22; }
    while rest >= 9007199254740992.0 { rest /= 2.0; power += 1; }
    while rest < 2147483648.0 { rest *= 4194304.0; power -= 22; }
    while rest < 4503599627370496.0 { rest *= 2.0; power -= 1; }
    return (sign | u64(rest)) ^ (power << 52);
}
fn joined(sum: u64, word: u64) -> u64 {
    let h = (sum ^ word) * 0x100000001b3u64;
    return h ^ (h >> 31);
}
"""


class Sums:
    prelude = WORDS + "\n".join(line for t in INTS + FLOATS + HALVES for line in noise_function(t)) + "\n"

    @staticmethod
    def fill(name, t, shape, first, _):
        indices = ["a", "b", "c"][:len(shape.split(", "))]
        extents = shape.split(", ")
        place = indices[0]
        for index, extent in zip(indices[1:], extents[1:]):
            place = f"({place} * {extent} + {index})"
        axes = ", ".join(f"{index} in {extent}" for index, extent in zip(indices, extents))
        return [f"var {name} = [noise_{t}({place} + {first}) for {axes}];"]

    @staticmethod
    def word(t, element):
        if t in ("f16", "bf16", "f32", "f64"):
            return f"word_of_f64(f64({element}))"
        return f"u64({element})"

    @classmethod
    def keep(cls, name, t, rank, label):
        indices = ["a", "b", "c"][:rank]
        element = f"{name}[{', '.join(indices)}]"
        parts = [("i32", ".a"), ("f64", ".b"), ("u8", ".c")] if t == "Pair" else [(t, "")]
        head, tail = "", ""
        for d, index in enumerate(indices):
            head += f"for {index} in shape({name}, {d}) {{ "
            tail += " }"
        joins = " ".join(f"sum = joined(sum, {cls.word(of, element + field)});" for of, field in parts)
        return ["sum = 0;", f"{head}{joins}{tail}", f'print("{label} {name}: {{:x}}", sum);']
