import { type Node, parseFilter, type Token } from '../../../src/engine/filter/parse-filter.ts'

const show = (token: Token): string => {
  if (token.kind === 'literal') return JSON.stringify(token.value)
  return token.kind === 'function' ? `${token.text}(${token.args.map(show)})` : token.text
}

/** The tree with all its brackets. */
function draw(node: Node): string {
  if (node.kind !== 'comparison')
    return `(${node.items.map(draw).join(node.kind === 'and' ? ' & ' : ' | ')})`
  return `${show(node.left)} ${node.any ? '?' : ''}${node.sign} ${show(node.right)}`
}

test.each([
  ['without an operator the last one is repeated', 'a=1 || (b=2)(c=3)', '(a = 1 | b = 2 | c = 3)'],
  ['an operand before a group is dropped', "a (b='x')", 'b = "x"'],
  ['an incomplete comparison before a group is dropped', 'a = (b=1)', 'b = 1'],
  ['all signs', 'a?!~1 && b>=2 && c!=3', '(a ?!~ 1 & b >= 2 & c != 3)'],
  ['both quotes and their escapes', `a='it\\'s' && b="\\n\\x"`, '(a = "it\'s" & b = "\\n\\\\x")'],
  ['a text may span several lines', "a='x\ny'", 'a = "x\\ny"'],
  ['numbers', 'a=-1.5 && b=-.5 && c=007', '(a = -1.5 & b = -0.5 & c = 7)'],
  ['a number beyond all doubles is 0', `a=${'9'.repeat(400)}`, 'a = 0'],
  ['a comment hides brackets', '(a=1 // b) \n) && c=2', '(a = 1 & c = 2)'],
  [
    'functions may contain comments and a trailing comma',
    "f(a, 'b',// c\n -2,) = 1",
    'f(a,"b",-2) = 1',
  ],
  ['any name may be an operand', '@request.auth.id:lower = #a.b', '@request.auth.id:lower = #a.b'],
])('%s: the filter $1 is read as $2', (_, filter, tree) => {
  expect(draw(parseFilter(filter).root)).toBe(tree)
})

test.each([
  ['', 'empty filter expression'],
  [' // nothing', 'empty filter expression'],
  ['()', 'empty filter expression'],
  ['a', 'invalid or incomplete filter expression'],
  ['a=1 &&', 'invalid or incomplete filter expression'],
  ['a==1', 'invalid sign operator "=="'],
  ['a=1 & b=2', 'invalid join operator "&"'],
  ['a=1 b=2', 'expected && or ||, got "b" (identifier)'],
  ['&& a=1', 'expected left operand (identifier, function, text or number), got "&&" (join)'],
  ['a 1', 'expected a sign operator, got "1" (number)'],
  ['a = &&', 'expected right operand (identifier, function text or number), got "&&" (join)'],
  ['a=-', 'invalid number "-"'],
  ['a=1.', 'invalid number "1."'],
  ["a='x", 'invalid quoted text "\'x"'],
  ['a.=1', 'invalid identifier "a."'],
  ['a=1)', "unexpected character ')'"],
  ['ä=1', "unexpected character 'ä'"],
  ['a=1\0', "unexpected character '\\u0000'"],
  ['a=1 /* b */', 'invalid comment'],
  ["((a=1) && (b='x)')", 'invalid formatted group - missing 1 closing bracket(s)'],
  ['f(g(h(i(1))))=1', 'max nested function arguments reached (max: 3)'],
  [Array(201).fill('a=1').join('||'), 'max filter expressions limit reached'],
])('the filter "$0" is refused: $1', (filter, cause) => {
  expect(() => parseFilter(filter)).toThrow(
    expect.objectContaining({ name: 'FilterError', message: cause }),
  )
})

test('nested groups are read up to a limit', () => {
  const nested = (depth: number) => `${'('.repeat(depth)}a=1${')'.repeat(depth)}`
  expect(draw(parseFilter(nested(250)).root)).toBe('a = 1')
  expect(() => parseFilter(nested(1700))).toThrow('max group nesting reached')
})

test.each([
  ['groups around much text', `${'('.repeat(249)}id='${'a'.repeat(100_000)}'${')'.repeat(249)}`],
  ['groups that do not end', '('.repeat(100_000)],
  ['far too many groups', `${'('.repeat(50_000)}a=1${')'.repeat(50_000)}`],
])('%s are read in linear time', (_, filter) => {
  const begin = performance.now()
  try {
    parseFilter(filter)
  } catch (error) {
    expect(error).toMatchObject({ name: 'FilterError' })
  }
  // 25 million steps, if each group were looked through, would take seconds
  expect(performance.now() - begin).toBeLessThan(1_000)
})
