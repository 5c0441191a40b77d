import type { must as ask, Client } from '../../support/server/server-with-devices.ts'

/** What an attack may prepare with, before anything is measured. */
export interface Target {
  readonly url: string
  readonly root: Client
  /** A new user who is signed in. */
  makeUser(): Promise<Client>
  /** A paired device of a user. */
  addDevice(user: Client): Promise<Client>
}

/** What an attack prepared: tokens, ids, ports. It goes to another process. */
export type Prepared = Readonly<Record<string, string>>

/** An attack while it runs, in a process of its own. */
export interface AttackRun {
  readonly url: string
  readonly prepared: Prepared
  /** The client address that the attack uses. The victim has another. */
  readonly address: string
  isOver(): boolean
  /** Resolves at the end of the attack. */
  readonly end: Promise<void>
  /** Counts an answer: a status, or a word for what came instead. `asked`: a request, before its answer. */
  count(answer: number | string): void
}

/** One way to make a server slow, large or dead. */
export interface Attack {
  readonly name: string
  readonly who: 'guest' | 'user'
  /** Part of the short run, which leaves out what a test of the suite shows. */
  readonly isShort?: boolean
  /** Attacks of the same crowd are played at once by hostile-crowd; others ten at a time. */
  readonly crowd?: string
  /** Runs before the measurement, in the process of the scenario. By default a user's is `asUser()`. */
  prepare?(target: Target): Promise<Prepared>
  /** Returns when `run.isOver()`, or earlier. Connections that it leaves open are closed with its process. */
  attack(run: AttackRun): Promise<void>
  /** What the attack left behind, looked up after it; throws when that is too much. */
  inspect?(target: Target, seconds: number): Promise<string>
}

/** Before an answer that somebody beside the attack got and must not get: a fault. */
export const VISITOR = 'a visitor got '

/** In which an attack must have its first answer. */
export const FIRST_ANSWER_MS = 20_000

type Options = Pick<Attack, 'isShort' | 'crowd' | 'prepare' | 'inspect'>
type Play = Attack['attack']
const attackOf =
  (who: Attack['who']) =>
  (name: string, ...rest: [Play] | [Options, Play]): Attack => {
    const [options, attack] = rest.length === 1 ? [{}, rest[0]] : rest
    return { name, who, ...options, attack }
  }
/** An attack of somebody who is not signed in. */
export const byGuest = attackOf('guest')
/** An attack of a user. */
export const byUser = attackOf('user')

/** Prepares a new user, whose token is `token`, and what `more` makes for this user. */
export const asUser =
  (more: (user: Client, target: Target) => Promise<Prepared> | Promise<void> = async () => {}) =>
  async (target: Target): Promise<Prepared> => {
    const user = await target.makeUser()
    const made = await more(user, target)
    return { token: user.token, id: user.id, ...(made ?? undefined) }
  }

/** Loads the server's code at the first call: an attacker, which never calls it, starts sooner. */
export const must: typeof ask = async (...asked) =>
  (await import('../../support/server/server-with-devices.ts')).must(...asked)

const BATCH = 50

/**
 * Creates `count` records as the superuser, whose bodies have no limits of rate, by batches. A batch that
 * takes a busy machine more than its 3 s is tried again by halves.
 */
export async function createRecords(
  { root }: Target,
  collection: string,
  count: number,
  valuesOf: (i: number) => object,
): Promise<void> {
  const create = async (first: number, size: number): Promise<void> => {
    const requests = Array.from({ length: size }, (_, i) => ({
      method: 'POST',
      url: `/api/collections/${collection}/records`,
      body: valuesOf(first + i),
    }))
    // a single one has no limit of 3 s
    if (size === 1) return must(root, 'POST', requests[0]!.url, requests[0]!.body)
    if ((await root.call('POST', '/api/batch', { requests })).status < 300) return
    await create(first, size >> 1)
    await create(first + (size >> 1), size - (size >> 1))
  }
  for (let first = 0; first < count; first += BATCH)
    await create(first, Math.min(BATCH, count - first))
}

/** Contacts of a user, with what `more` adds to each. */
export const addContacts = (
  target: Target,
  user: Client,
  count: number,
  more = (_: number): object => ({}),
) =>
  createRecords(target, 'contacts', count, (i) => ({
    user: user.id,
    name: `Contact ${i}`,
    phone: `+4915${1e6 + i}`,
    ...more(i),
  }))
