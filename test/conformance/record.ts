import type { Answer } from './client.ts'
import { type Claims, claimsAt, difference, ID, type Plain, TIME, TOKEN } from './compare.ts'
import { type Case, type Corpus, type Expectation, replaced, type Step, type Variables } from './corpus.ts'

const RECENT_MS = 60_000

/** Writes the answers of a server into the expectations of a case. */
export class Recorder {
  /** What does not vary from run to run. */
  readonly #known: string

  constructor({ schema, fixtures }: Corpus, one: Case) {
    this.#known = JSON.stringify([schema, fixtures, { ...one, expect: undefined }])
  }

  /** The answer as an expectation, with the old one's matchers and variables wherever they fit. */
  expectation(step: Step, answer: Answer, variables: Variables, plain: Plain): Expectation {
    const { status, headers, empty, text, body, contains, claims, ...rest } = step.expect ?? {}
    const merge = (old: unknown, got: unknown) => this.#merged(old, got, variables)
    const named = Object.keys(headers ?? {}).map((name) => [name, answer.headers[name] ?? null])
    return {
      ...(!step.sse || step.open ? { status: answer.status } : {}),
      ...(headers && { headers: merge(headers, Object.fromEntries(named)) as Expectation['headers'] }),
      ...(answer.json !== undefined
        ? { body: merge(body, answer.json) }
        : answer.text
          ? { text: merge(text, answer.text) }
          : { empty: true }),
      ...(claims && {
        claims: { of: claims.of, ...(merge(claims, claimsAt(answer, claims.of, plain)) as Claims) },
      }),
      ...rest,
    }
  }

  #merged(old: unknown, got: unknown, variables: Variables): unknown {
    if (!difference(replaced(old, variables), got)) return old
    const inner = (key: string | number, item: unknown) =>
      this.#merged((old as Record<string | number, unknown> | undefined)?.[key], item, variables)
    if (Array.isArray(got)) return got.map((item, i) => inner(i, item))
    if (got !== null && typeof got === 'object')
      return Object.fromEntries(Object.entries(got).map(([key, item]) => [key, inner(key, item)]))
    return typeof got === 'string' ? this.#lasting(got, variables) : got
  }

  /** A variable for a saved value, a matcher for one that differs from run to run. */
  #lasting(value: string, variables: Variables): unknown {
    const saved = Object.entries(variables).find(([, other]) => other === value)
    if (saved) return `\${${saved[0]}}`
    if (this.#known.includes(JSON.stringify(value).slice(1, -1))) return value
    if (TIME.test(value) && Date.now() - Date.parse(value) < RECENT_MS) return { $match: 'datetime' }
    if (ID.test(value)) return { $match: 'id' }
    return TOKEN.test(value) && value.startsWith('ey') ? { $match: 'token' } : value
  }
}
