import { cleanText } from '../../fields/values/cast.ts'
import type { Input } from './input.ts'
import { asNumber, asNumeric, asText, kindOf, type Scalar, type ScalarKind } from './scalar.ts'
import type { Param } from './sql.ts'

/** Where a parameter's value comes from. */
export type Slot = (input: Input) => Scalar
type Answer = string | number | boolean | null
/** A question about the request on which the SQL depends. */
export type Probe = (input: Input) => Answer

/** The questions of a compilation about its request. The same answers give the same SQL. */
export class Facts {
  readonly asked: (readonly [question: Probe, answer: Answer])[] = []
  readonly #input: Input
  readonly #kinds = new Map<Slot, ScalarKind>()
  readonly #variants = new Map<Slot, Map<string, Slot>>()
  readonly #params = new Map<Slot, Map<string, Param>>()

  constructor(input: Input) {
    this.#input = input
  }

  /** Drops what only the compilation needed; cached questions keep this object alive. */
  close(): void {
    this.asked.length = 0
    this.#kinds.clear()
    this.#variants.clear()
    this.#params.clear()
  }

  ask<T extends Answer>(question: (input: Input) => T): T {
    const answer = question(this.#input)
    this.asked.push([question, answer])
    return answer
  }

  kind(slot: Slot): ScalarKind {
    return remember(this.#kinds, slot, () => this.ask((input) => kindOf(slot(input))))
  }

  isEmpty(slot: Slot): boolean {
    const kind = this.kind(slot)
    return kind === 'null' || kind === 'empty'
  }

  /** The slot's value as SQLite converts it beside a column of texts, or of numbers. */
  converted(slot: Slot, to: 'text' | 'numeric'): Slot {
    const variants = remember(this.#variants, slot, () => new Map<string, Slot>())
    const convert = to === 'text' ? asText : asNumeric
    return remember(variants, to, () => (input) => convert(slot(input)))
  }

  text(slot: Slot): Param {
    return this.param(slot, 'text', (value) => cleanText(asText(value) ?? ''))
  }

  number(slot: Slot): Param {
    return this.param(slot, 'float8', asNumber)
  }

  /** A parameter made of a slot; the same one for the same slot and cast. */
  param(slot: Slot, cast: string, bind: (value: Scalar) => unknown): Param {
    const params = remember(this.#params, slot, () => new Map<string, Param>())
    return remember(params, cast, () => ({ kind: 'param', cast, bind: (input) => bind(slot(input)) }))
  }
}

function remember<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = make()
  map.set(key, value)
  return value
}
