import { counts } from '../../counts.ts'
import { Lru } from '../../tools/lru.ts'
import { Facts, type Probe } from '../sql/facts.ts'
import type { Input } from '../sql/input.ts'
import type { Param } from '../sql/sql.ts'
import type { CompiledFilter } from './compiled-filter.ts'

const MAX_PLANS = 1_000
/** Longer filters are compiled each time: 1 kB of filter keeps some 100 kB here. */
const MAX_CLIENT_LENGTH = 1000
/** Templates per plan. More come only from values that hardly repeat. */
const MAX_TEMPLATES = 64

/** A compiled question and the slots of its parameters. */
export interface Template {
  readonly compiled: Omit<CompiledFilter, 'params'>
  readonly params: readonly Param[]
  /** The question about related records, then the main one; the parameter at `place` is their ids. */
  readonly related?: {
    readonly text: string
    readonly params: readonly Param[]
    readonly main: Template
    readonly place: number
  }
}

interface Node {
  question?: Probe
  readonly answers: Map<unknown, Node>
  template?: Template
}

/** Compilations of one rule, filter and sort: a tree of questions about the request, with templates. */
export class Plan {
  #root: Node = { answers: new Map() }
  #count = 0

  /** The template for a request. `make` compiles a missing one and may throw. */
  find(input: Input, make: (facts: Facts) => Template): Template {
    let node: Node | undefined = this.#root
    while (node?.question) node = node.answers.get(node.question(input))
    if (node?.template) {
      counts.filter.hits++
      return node.template
    }
    counts.filter.misses++
    return this.#keep(input, make)
  }

  #keep(input: Input, make: (facts: Facts) => Template): Template {
    const facts = new Facts(input)
    const template = make(facts)
    if (this.#count++ >= MAX_TEMPLATES) this.#clear()
    let node = this.#root
    for (const [question, answer] of facts.asked) {
      node.question ??= question
      let next = node.answers.get(answer)
      if (!next) {
        next = { answers: new Map() }
        node.answers.set(answer, next)
      }
      node = next
    }
    node.template = template
    facts.close()
    return template
  }

  #clear(): void {
    this.#root = { answers: new Map() }
    this.#count = 1
  }
}

const plans = new Lru<string, Plan>(MAX_PLANS)

export const planCount = () => plans.size

/** The plan for a cache key, of which `clientLength` characters come from the client. */
export function planOf(key: string, clientLength: number): Plan {
  return plans.get(key) ?? (clientLength > MAX_CLIENT_LENGTH ? new Plan() : plans.set(key, new Plan()))
}
