import { type Expression, PostgresQueryCompiler, type RootOperationNode, ValueNode } from 'kysely'

class Slot implements Expression<never> {
  readonly name: string
  readonly expressionType = undefined

  constructor(name: string) {
    this.name = name
  }

  toOperationNode() {
    return ValueNode.create(this)
  }

  /** without this, `Number(slot)` or a template string would silently drop the slot */
  [Symbol.toPrimitive](): never {
    throw new TypeError(`The slot ${this.name} of a statement has no value yet`)
  }
}

/** An object with a slot for any name. */
export const makeSlots = (): object => new Proxy({}, { get: (_, name) => new Slot(String(name)) })

/** Writes slots as $1, $2, … and constants into the text. `parameters` of its result: the slots' names. */
export class Compiler extends PostgresQueryCompiler {
  readonly #slots: string[] = []

  override compileQuery(
    node: RootOperationNode,
    queryId: Parameters<PostgresQueryCompiler['compileQuery']>[1],
  ) {
    this.#slots.length = 0
    return { ...super.compileQuery(node, queryId), parameters: [...this.#slots] }
  }

  protected override appendValue(value: unknown): void {
    if (value instanceof Slot) this.append(`$${this.#placeOf(value)}`)
    else this.appendImmediateValue(constantOf(value))
  }

  #placeOf({ name }: Slot): number {
    return this.#slots.indexOf(name) + 1 || this.#slots.push(name)
  }
}

function constantOf(value: unknown): unknown {
  const isConstant = value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
  if (!isConstant) throw new TypeError(`${String(value)} is no constant of a statement`)
  return value
}
