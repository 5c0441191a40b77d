import { isObject } from '../../platform/tools/json.ts'
import {
  type Attributes,
  findName,
  type Item,
  type Resource,
  readAttribute,
  readItem,
  readPart,
} from './attributes.ts'
import { type AttributeComparison, type AttributePath, parsePath } from './filter.ts'
import { invalidValue, scimRefusal } from './scim-errors.ts'

// PATCH of RFC 7644, section 3.5.2, as directories send it: with names of operations in any case of letters,
// booleans as texts, and items that a path names before they exist.

type Op = 'add' | 'replace' | 'remove'

/** As many as the members of a group that a directory adds or removes one by one. */
const MAX_OPERATIONS = 2_000

/** The resource after the operations of a body. Throws 400. */
export function patchResource(
  attributes: Attributes,
  before: Readonly<Resource>,
  body: unknown,
): Resource {
  const operations = isObject(body) ? body[findName(body, 'Operations') ?? ''] : undefined
  if (!Array.isArray(operations) || operations.length === 0)
    throw scimRefusal(400, 'Operations must be a list', 'invalidSyntax')
  if (operations.length > MAX_OPERATIONS)
    throw scimRefusal(400, `A PATCH has at most ${MAX_OPERATIONS} operations`, 'tooMany')
  const resource = { ...before }
  for (const operation of operations) applyOperation(attributes, resource, operation)
  return resource
}

function applyOperation(attributes: Attributes, resource: Resource, operation: unknown): void {
  if (!isObject(operation)) throw scimRefusal(400, 'An operation is an object', 'invalidSyntax')
  const op = readOp(operation.op)
  const { path, value } = operation
  const hasPath = typeof path === 'string' && path !== ''
  if (!hasPath && op === 'remove') throw scimRefusal(400, 'remove needs a path', 'noTarget')
  const changes = hasPath ? { [path]: value } : value
  if (!isObject(changes)) throw invalidValue('Without a path, value must be an object')
  // other schemas have names with dots, such as urn:…:2.0:User: they are unknown here, and ignored
  for (const [name, one] of Object.entries(changes))
    applyAt(attributes, resource, op, parsePath(name), one)
}

function readOp(op: unknown): Op {
  const name = String(op).toLowerCase()
  if (name === 'add' || name === 'replace' || name === 'remove') return name
  throw scimRefusal(400, 'op must be add, replace or remove', 'invalidSyntax')
}

function applyAt(
  attributes: Attributes,
  resource: Resource,
  op: Op,
  path: AttributePath,
  value: unknown,
): void {
  const name = findName(attributes, path.attribute)
  if (name === undefined) return
  const attribute = attributes[name]!
  const isList = typeof attribute !== 'string' && attribute.max !== undefined
  const next = isList
    ? changeList(attributes, name, (resource[name] ?? []) as readonly Item[], op, path, value)
    : changeOne(attributes, name, resource[name], op, path, value)
  if (next === undefined) delete resource[name]
  else resource[name] = next
}

function changeOne(
  attributes: Attributes,
  name: string,
  before: Resource[string] | undefined,
  op: Op,
  { part }: AttributePath,
  value: unknown,
): Resource[string] | undefined {
  const attribute = attributes[name]!
  if (typeof attribute === 'string')
    return op === 'remove' ? undefined : readAttribute(attributes, name, value)
  const item = (before ?? {}) as Item
  if (part !== undefined) return setPart(attribute.parts, name, item, part, op, value)
  return op === 'remove' ? undefined : { ...item, ...readItem(attribute.parts, name, value) }
}

function setPart(
  parts: Readonly<Record<string, 'text' | 'boolean'>>,
  name: string,
  item: Item,
  asked: string,
  op: Op,
  given: unknown,
): Item {
  const part = findName(parts, asked)
  if (part === undefined) return item
  const { [part]: _, ...rest } = item
  const value = op === 'remove' ? undefined : readPart(parts[part]!, `${name}.${part}`, given)
  return value === undefined ? rest : { ...rest, [part]: value }
}

function changeList(
  attributes: Attributes,
  name: string,
  before: readonly Item[],
  op: Op,
  { where, part }: AttributePath,
  value: unknown,
): readonly Item[] {
  const { parts, max = 0 } = attributes[name] as Exclude<Attributes[string], string>
  const isMeant = (item: Item) => where.every((one) => holds(item, one))
  const change = (item: Item): Item =>
    part === undefined
      ? { ...item, ...readItem(parts, name, value) }
      : setPart(parts, name, item, part, op, value)
  const changed =
    where.length === 0 && part === undefined
      ? changeWhole(before, op, readAttribute(attributes, name, value) as readonly Item[])
      : op === 'remove' && part === undefined
        ? before.filter((item) => !isMeant(item))
        : changeMeant(before, op, isMeant, change, readItem(parts, name, nameItem(where)))
  if (changed.length > max) throw invalidValue(`${name}: at most ${max} values`)
  return changed
}

/** Changes the items that a path names. Without one, `add` and `replace` make it, as Entra ID expects. */
function changeMeant(
  before: readonly Item[],
  op: Op,
  isMeant: (item: Item) => boolean,
  change: (item: Item) => Item,
  made: Item = {},
): readonly Item[] {
  if (op !== 'remove' && !before.some(isMeant)) return [...before, change(made)]
  return before.map((item) => (isMeant(item) ? change(item) : item))
}

/** Adds to a list, replaces it, or removes items of it: those of the value, without one all. */
function changeWhole(before: readonly Item[], op: Op, given: readonly Item[]): readonly Item[] {
  if (op === 'replace') return given
  const values = new Set(given.map(({ value }) => value))
  const others = before.filter(({ value }) => !values.has(value))
  if (op === 'add') return [...others, ...given]
  return given.length > 0 ? others : []
}

const holds = (item: Item, { name, value }: AttributeComparison): boolean => {
  const part = findName(item, name)
  const own = part === undefined ? undefined : item[part]
  return String(own ?? '').toLowerCase() === String(value).toLowerCase()
}

const nameItem = (where: readonly AttributeComparison[]) =>
  Object.fromEntries(where.map(({ name, value }) => [name, value]))
