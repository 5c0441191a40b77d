import type { UserName } from './seed.ts'

/** One kind of request, asked for some seconds over `connections` connections. */
export interface Scenario {
  readonly name: string
  readonly kind: 'list' | 'view' | 'send' | 'write'
  readonly user: UserName
  readonly connections: number
  /** Query of a list, as PocketBase's clients write it, and as the bare server has it. */
  readonly query?: { readonly records: string; readonly bare: string }
  /** What a write does to a group of contacts. */
  readonly write?: 'create' | 'update' | 'create and delete'
  /** How many numbers one send goes to. */
  readonly recipients?: number
}

const CONNECTIONS = 16
/** Half of the messages are younger: see seed.ts. */
export const SINCE = new Date(Date.now() - 46 * 86_400_000).toISOString().replace('T', ' ')

const FILTER = `(status = "sent" || status = "delivered") && to ~ "77" && created > "${SINCE}"`
const filter = (text: string) => `filter=${encodeURIComponent(text)}`

const LISTS = [
  ['list 30', 'perPage=30', 'perPage=30'],
  ['list 30, skipTotal', 'perPage=30&skipTotal=1', 'perPage=30&skipTotal=1'],
  ['list 30 by status', `perPage=30&${filter('status = "failed"')}`, 'perPage=30&status=failed'],
  [
    'list 30, filtered',
    `perPage=30&${filter(FILTER)}`,
    `perPage=30&to=77&since=${encodeURIComponent(SINCE)}`,
  ],
  ['list 500', 'perPage=500', 'perPage=500'],
] as const

const READERS = [
  ['small', '2,000'],
  ['large', '102,000'],
] as const satisfies [UserName, string][]

const lists = READERS.flatMap(([user, rows]) =>
  LISTS.map(([name, records, bare]): Scenario => {
    const query = { records: `${records}&sort=-created`, bare }
    return { name: `${name} of ${rows}`, kind: 'list', user, connections: CONNECTIONS, query }
  }),
)
const views = READERS.map(([user, rows]): Scenario => {
  return { name: `view of ${rows}`, kind: 'view', user, connections: CONNECTIONS }
})
const sends = [1, 16, 64].map((connections): Scenario => {
  return {
    name: `send, ${connections} connections`,
    kind: 'send',
    user: 'sender',
    connections,
    recipients: 1,
  }
})
const bulk = [1_000, 10_000].map((recipients): Scenario => {
  const name = `send to ${recipients.toLocaleString('en')} recipients`
  return { name, kind: 'send', user: 'sender', connections: 1, recipients }
})

const writes = (['create', 'update', 'create and delete'] as const).map((write): Scenario => {
  return {
    name: `${write} a group`,
    kind: 'write',
    write,
    user: 'sender',
    connections: CONNECTIONS,
  }
})

/** Everything that is measured, reads before what writes. */
export const SCENARIOS: readonly Scenario[] = [...lists, ...views, ...writes, ...sends, ...bulk]
