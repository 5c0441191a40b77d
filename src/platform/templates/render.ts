import type { AST } from '@handlebars/parser'
import { ApiError, badRequest } from '../api-errors.ts'
import { cleanText } from '../tools/clean-text.ts'
import { findValueAt, makeJsonTextReader, makeMissingError } from './find-value-at.ts'
import { parseTemplate } from './parse.ts'

// Handlebars' parser parses templates; this file renders them. Handlebars itself would compile them to code,
// without a limit on its work.

/** Maximum steps of a rendering, some 10 ms. Steps are parts of templates, names in paths, and list items. */
const MAX_STEPS = 10_000

export class TooManySteps extends ApiError {
  constructor() {
    super(400, 'The template takes too many steps for this body.')
  }
}

/** The variables of `#each`, such as `@last`. */
const DATA: ReadonlySet<string> = new Set(['index', 'key', 'first', 'last'])

/** A value and where it was found: at the path `names` in `from`, or in the body if `from` is undefined. */
interface Found {
  readonly value: unknown
  readonly from: Scope | undefined
  readonly names: readonly string[]
}

/** The scope of paths in a template: `value` is `this`, `outer` is `../`, `data` has `@index` etc. */
interface Scope extends Found {
  readonly outer?: Scope
  readonly data?: object
}

/** A rendered text. `ends`: where list items end in `text`; `rest`: how many items were left out. */
export interface Rendered {
  readonly text: string
  readonly ends: readonly number[]
  readonly rest: number
}

/** Renders a template, stops when the text exceeds `maxLength`. Throws 400 that names a missing value. */
export const renderTemplate = (template: string, body: unknown, maxLength: number): Rendered =>
  makeTemplateRenderer(body, { maxLength })(template)

interface RenderLimits {
  readonly maxLength: number
  readonly maxSteps?: number
  /** Renders both branches of each condition, to check a template against a sample. */
  readonly everyBranch?: boolean
}

/** Returns a function to render templates. The limits hold for all its calls together. */
export function makeTemplateRenderer(body: unknown, limits: RenderLimits) {
  const { maxLength, maxSteps = MAX_STEPS, everyBranch = false } = limits
  let text = ''
  /** Where items of outermost lists end in `text`. */
  let ends: number[] = []
  let rest = 0
  /** Characters written so far, counted before `cleanText`. */
  let written = 0
  let steps = 0
  let encode = (value: string) => value
  const readText = makeJsonTextReader(take)
  const isFull = () => written > maxLength

  function add(program: AST.Program | undefined, scope: Scope): void {
    for (const part of program?.body ?? []) {
      if (isFull()) return
      take(1)
      if (part.type === 'ContentStatement') write((part as AST.ContentStatement).value)
      else if (part.type === 'BlockStatement') addBlock(part as AST.BlockStatement, scope)
      else if (part.type !== 'CommentStatement')
        write(printed(part as AST.MustacheStatement, scope), encode)
    }
  }

  function write(value: string, encode = (text: string) => text): void {
    const kept = value.slice(0, maxLength + 1)
    written += kept.length
    text += encode(cleanText(kept))
  }

  function addBlock(block: AST.BlockStatement, scope: Scope): void {
    const { path, params, program, inverse } = block
    const kind = path.original
    if (!['if', 'unless', 'each'].includes(kind) || params.length !== 1)
      throw makeUnknownTagError(`#${kind}`)
    const found = find(params[0], scope)
    if (kind === 'each') {
      addItems(found, block, scope)
      return
    }
    const { value } = found
    const isSet = Array.isArray(value) ? value.length > 0 : Boolean(value)
    const [chosen, other] = isSet === (kind === 'if') ? [program, inverse] : [inverse, program]
    add(chosen, scope)
    if (everyBranch) add(other, scope)
  }

  function addItems(list: Found, { program, inverse }: AST.BlockStatement, scope: Scope): void {
    const { names } = list
    const value = readText(list.value)
    if (typeof value !== 'object' || value === null) throw makeMissingError(joinFoundPath(list))
    // count the items before creating their keys: a body can have 130,000
    if (Array.isArray(value)) take(value.length)
    const keys = Object.keys(value)
    take(keys.length)
    if (keys.length === 0 || everyBranch) add(inverse, scope)
    const isOutermost = scope.outer === undefined
    for (const [index, key] of keys.entries()) {
      if (isFull()) {
        if (isOutermost) rest += keys.length - index
        return
      }
      const before = text.length
      const item = (value as Record<string, unknown>)[key]
      const data = { index, key, first: index === 0, last: index === keys.length - 1 }
      add(program, { ...list, value: item, names: [...names, key], outer: scope, data })
      if (isOutermost && text.length > before) ends.push(text.length)
    }
  }

  function take(more: number): void {
    steps += more
    if (steps > maxSteps) throw new TooManySteps()
  }

  function printed({ type, path, params }: AST.MustacheStatement, scope: Scope): string {
    if (type === 'MustacheStatement' && params.length === 2 && isMoneyCall(path))
      return money(find(params[0], scope), find(params[1], scope))
    if (type !== 'MustacheStatement' || params.length > 0) throw makeUnknownTagError(path)
    const found = find(path, scope)
    const { value } = found
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw makeMissingError(joinFoundPath(found))
    return String(value)
  }

  /** Formats an amount in the smallest unit, as Stripe sends it: 1250 and `usd` become `12.50 USD`. */
  function money(amount: Found, currency: Found): string {
    const units = toNumber(amount.value)
    if (units === undefined) throw makeMissingError(joinFoundPath(amount))
    if (typeof currency.value !== 'string' || !/^[a-z]{3}$/i.test(currency.value))
      throw makeMissingError(joinFoundPath(currency))
    const code = currency.value.toUpperCase()
    const digits = ZERO_DECIMALS.has(code) ? 0 : THREE_DECIMALS.has(code) ? 3 : 2
    return `${(units / 10 ** digits).toFixed(digits)} ${code}`
  }

  function find(path: AST.Expression | undefined, scope: Scope): Found {
    const { type, original, data, depth, parts = [] } = path as AST.PathExpression
    if (type !== 'PathExpression') throw makeUnknownTagError(path)
    take(depth + parts.length)
    if (!parts.every((part: unknown) => typeof part === 'string')) throw makeUnknownTagError(path)
    const names = parts as string[]
    let from: Scope | undefined = scope
    for (let up = 0; up < depth; up++) from = from?.outer
    if (data && !DATA.has(names[0]!)) throw makeUnknownTagError(path)
    if (data) return { value: findValueAt(from?.data, names), from: undefined, names: [original] }
    return { value: findValueAt(from?.value, names, readText), from, names }
  }

  return (template: string, encodeValue = (value: string) => value): Rendered => {
    ;[text, ends, rest, encode] = ['', [], 0, encodeValue]
    add(parseTemplate(template), { value: body, from: undefined, names: [] })
    const start = text.length - text.trimStart().length
    // leave out the ends of items that trim() removes at the start
    return {
      text: text.trim(),
      ends: ends.map((end) => end - start).filter((end) => end > 0),
      rest,
    }
  }
}

const isMoneyCall = (path: AST.Expression) => (path as AST.PathExpression).original === 'money'

/** A number, or a text of digits as Stripe's `unit_amount_decimal` and Paddle's amounts; else undefined. */
const toNumber = (value: unknown): number | undefined =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,15}(?:\.\d+)?$/.test(value))
    ? Number(value)
    : undefined

// https://docs.stripe.com/currencies: all others have two, HUF, TWD, ISK and UGX too, whatever ISO 4217 says
const ZERO_DECIMALS: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
const THREE_DECIMALS: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

const joinFoundPath = ({ from, names }: Found): string[] =>
  from ? [...joinFoundPath(from), ...names] : [...names]

const makeUnknownTagError = (tag: string | AST.Expression | undefined) => {
  const name = typeof tag === 'string' ? tag : (tag as AST.PathExpression | undefined)?.original
  return badRequest(
    `The template has ${name ?? 'a tag'}: only values, #if, #unless, #each and money are known.`,
  )
}
