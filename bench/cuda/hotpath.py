"""The hot path of a kernel in machine code: how many instructions it has.

Cold are the blocks that lead only to the report of a failed check, and the slow paths of divisions and roots: a call
where another way leads around it. The hot path of a kernel without loops is the longest way to its end through blocks
that are not cold. Of a kernel with loops it is an iteration of the loop in which its work is done: the instructions of
the loop that contains most of the markers, over their number, which counts an unrolled loop by what it does."""
import re


class Kernel:
    """Blocks of instructions: address -> (text, addresses of its successors). A machine says what its branches are."""
    REPORT = ENDS = None  # patterns: an instruction that only the report of a failed check has; one that ends a block

    def __init__(self, code):
        """code: address -> text of the instruction"""
        self.code = code
        addresses = sorted(code)
        self.following = dict(zip(addresses, addresses[1:]))
        self.make_blocks()

    def target(self, text):
        """The address that an instruction may jump to."""
        raise NotImplementedError

    def falls_through(self, text):
        """Does an instruction that ends a block lead to the next one, too?"""
        raise NotImplementedError

    def make_blocks(self):
        begins = {min(self.code)}
        for at, text in self.code.items():
            target = self.target(text)
            if target is not None or self.ENDS.search(text):
                begins |= {self.following.get(at)} | {target}
        self.blocks, self.next, block = {}, {}, None
        for at in sorted(self.code):
            if at in begins:
                block = self.blocks[at] = []
                head = at
            block.append(self.code[at])
            after = self.following.get(at)
            if after in begins or after is None:
                self.next[head] = self.leads_to(self.code[at], after)

    def leads_to(self, text, after):
        if not self.ENDS.search(text):
            return [after] if after is not None else []
        target = self.target(text)
        to = [target] if target in self.code else []
        return to + ([after] if self.falls_through(text) and after is not None else [])

    def cold(self):
        cold = {b for b, lines in self.blocks.items() if any(self.REPORT.search(line) for line in lines)}
        if not self.ends(self.reachable(cold)):
            cold = set()  # an update of the kernel itself
        for block, lines in self.blocks.items():
            if any("CALL" in line for line in lines) and self.ends(self.reachable(cold | {block})):
                cold.add(block)
        while more := {b for b in self.blocks if b not in cold and self.next[b] and cold.issuperset(self.next[b])}:
            cold |= more
        return cold

    def ends(self, reached):
        return any(not self.next[b] for b in reached)

    def reachable(self, without):
        seen, todo = set(), [min(self.code)]
        while todo:
            block = todo.pop()
            if block not in seen and block not in without:
                seen.add(block)
                todo += self.next[block]
        return seen

    def loops(self, hot):
        """header -> blocks of the natural loop"""
        before = {b: [p for p in hot if b in self.next[p]] for b in hot}
        found, rest = {}, set(self.blocks) - hot
        for latch in hot:
            for header in self.next[latch]:
                if header not in hot or latch in self.reachable(rest | {header}):
                    continue
                body, todo = {header}, [latch]
                while todo:
                    block = todo.pop()
                    if block not in body:
                        body.add(block)
                        todo += before[block]
                found.setdefault(header, set()).update(body)
        return found

    def count(self, block):
        """Instructions that are executed; a machine may leave out some."""
        return len(self.blocks[block])

    def size(self):
        return sum(map(self.count, self.blocks))

    def longest(self, hot):
        """Instructions of the longest way to the end that comes through no block twice."""
        length = {}

        def visit(block):
            if block not in length:
                length[block] = 0  # while its successors are visited: a way back is none
                length[block] = self.count(block) + max((visit(n) for n in self.next[block] if n in hot), default=0)
            return length[block]

        return visit(min(self.code))

    def hot_path(self, marker=None):
        """Instructions of the hot path; True: of an iteration, False: of the whole kernel."""
        hot = self.reachable(self.cold())
        loops = [body for body in self.loops(hot).values() if marker and self.marked(body, marker)]
        innermost = [body for body in loops if not any(other < body for other in loops)]
        if not innermost:
            return self.longest(hot), False
        body = max(innermost, key=lambda body: self.marked(body, marker))
        return sum(map(self.count, body)) / self.marked(body, marker), True

    def marked(self, body, marker):
        return sum(bool(re.search(marker, line)) for block in body for line in self.blocks[block])
