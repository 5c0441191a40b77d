import { type AST, parse } from '@handlebars/parser'
import { badRequest } from '../errors.ts'

// Handlebars' own parser reads a template, this file carries it out: Handlebars itself would make code of
// it, without a bound on its work.

/** Steps of a rendering: parts of the template, and items of lists. */
const MAX_STEPS = 20_000

/** What `this` is at a place of the template, its path in the body, and the variables of `#each`. */
interface Scope {
  readonly value: unknown
  readonly names: readonly string[]
  readonly outer?: Scope
  readonly data?: object
}

/** Throws 400 for a template that cannot be read. */
export function parseTemplate(template: string): AST.Program {
  try {
    return parse(template)
  } catch (error) {
    throw badRequest(`The template cannot be read: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** The text of a body, cut soon after `maxLength`. Throws 400 that names a value which the body lacks. */
export function renderTemplate(template: string, body: unknown, maxLength: number): string {
  const rendering = new Rendering(maxLength)
  rendering.add(parseTemplate(template), { value: body, names: [] })
  return rendering.text.trim()
}

class Rendering {
  text = ''
  #steps = 0
  readonly #maxLength: number

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  add(program: AST.Program | undefined, scope: Scope): void {
    for (const part of program?.body ?? []) {
      if (this.text.length > this.#maxLength) return
      this.#take(1)
      if (part.type === 'ContentStatement') this.text += (part as AST.ContentStatement).value
      else if (part.type === 'BlockStatement') this.#addBlock(part as AST.BlockStatement, scope)
      else if (part.type !== 'CommentStatement') this.text += printed(part as AST.MustacheStatement, scope)
    }
  }

  #addBlock({ path, params, program, inverse }: AST.BlockStatement, scope: Scope): void {
    const kind = path.original
    if (!['if', 'unless', 'each'].includes(kind) || params.length !== 1) throw unknown(`#${kind}`)
    const { value, names } = find(params[0], scope)
    if (kind !== 'each') {
      const isSet = Array.isArray(value) ? value.length > 0 : Boolean(value)
      this.add(isSet === (kind === 'if') ? program : inverse, scope)
      return
    }
    if (typeof value !== 'object' || value === null) throw missing(names)
    const items = Object.entries(value)
    this.#take(items.length)
    if (items.length === 0) this.add(inverse, scope)
    for (const [index, [key, item]] of items.entries())
      this.add(program, { value: item, names: [...names, key], outer: scope, data: { index, key } })
  }

  #take(steps: number): void {
    this.#steps += steps
    if (this.#steps > MAX_STEPS) throw badRequest('The template takes too many steps for this body.')
  }
}

function printed({ type, path, params }: AST.MustacheStatement, scope: Scope): string {
  if (type !== 'MustacheStatement' || params.length > 0) throw unknown(path)
  const { value, names } = find(path, scope)
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value)
  throw missing(names)
}

function find(path: AST.Expression | undefined, scope: Scope): Pick<Scope, 'value' | 'names'> {
  const { type, original, data, depth, parts = [] } = path as AST.PathExpression
  const names = parts.filter((part: unknown) => typeof part === 'string')
  if (type !== 'PathExpression' || names.length < parts.length) throw unknown(path)
  let from: Scope | undefined = scope
  for (let up = 0; up < depth; up++) from = from?.outer
  if (data) return { value: valueAt(from?.data, names), names: [original] }
  return { value: valueAt(from?.value, names), names: [...(from?.names ?? []), ...names] }
}

/** The value at a path, of own properties alone; undefined if there is none. */
export const valueAt = (from: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>((at, name) => {
    const has = typeof at === 'object' && at !== null && Object.hasOwn(at, name)
    return has ? (at as Record<string, unknown>)[name] : undefined
  }, from)

const unknown = (tag: string | AST.Expression | undefined) => {
  const name = typeof tag === 'string' ? tag : (tag as AST.PathExpression | undefined)?.original
  return badRequest(`The template has ${name ?? 'a tag'}: only values, #if, #unless and #each are known.`)
}

/** A body lacks a value. */
export const missing = (names: readonly string[]) =>
  badRequest(`The body has no ${names.join('.').slice(0, 100) || 'text'}.`)
