import { type Attack, type AttackRun, byGuest, byUser } from './attack.ts'
import { flood } from './flood.ts'

// JSON that takes a parser, a checker or the memory long.

const join = (count: number, partOf: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => partOf(i)).join(',')
/** The same item again and again, with commas. */
const items = (bytes: number, item: string) => `${`${item},`.repeat(bytes / (item.length + 1))}${item}`

/** Bombs of about so many bytes, by what is wrong with them. */
const BOMBS: Readonly<Record<string, (bytes: number) => string>> = {
  'deep lists': (bytes) => `{"data":${'['.repeat(bytes)}`,
  'deep lists, closed': (bytes) => `{"data":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  'deep objects': (bytes) => '{"a":'.repeat(bytes / 5),
  'many keys': (bytes) => `{${join(bytes / 12, (i) => `"k${i}":1`)}}`,
  'many keys, one level down': (bytes) => `{"data":{${join(bytes / 12, (i) => `"k${i}":1`)}}}`,
  'the same key': (bytes) => `{${items(bytes, '"data":1')}}`,
  'a long list': (bytes) => `{"data":[${items(bytes, '1')}]}`,
  'a long list of lists': (bytes) => `{"data":[${items(bytes, '[]')}]}`,
  'a huge number': (bytes) => `{"data":[1e309,${items(bytes, '1')}]}`,
  'large numbers': (bytes) => `{"data":[${items(bytes, '1e308')}]}`,
  'one long number': (bytes) => `{"data":${'9'.repeat(bytes)}}`,
  escapes: (bytes) => `{"title":"${'\\u0000'.repeat(bytes / 6)}"}`,
  backslashes: (bytes) => `{"title":"${'\\\\'.repeat(bytes / 2)}"}`,
  'an open text': (bytes) => `{"title":"${'\\"'.repeat(bytes / 2)}`,
  blanks: (bytes) => `${' '.repeat(bytes)}{}`,
}
const MAKERS = Object.values(BOMBS)

const GUEST_PATHS = [
  '/api/collections/users/auth-with-password',
  '/api/batch',
  '/api/realtime',
  '/api/devices/pair',
  '/api/collections/boards/records',
  '/api/collections/clients/records',
  '/api/collections/users/request-otp',
]
const USER_PATHS = [
  '/api/collections/contacts/records',
  '/api/batch',
  '/api/sms/send',
  '/api/sms/preview',
  '/api/collections/sms_templates/records',
  '/api/devices/pairing',
  '/api/realtime',
]

/** All bombs of a size at all paths, in turn. */
function throwBombs(run: AttackRun, connections: number, bytes: number, paths: readonly string[]) {
  const made: Buffer[] = []
  const bomb = (i: number) => {
    made[i] ??= Buffer.from(MAKERS[i]!(bytes))
    return made[i]
  }
  return flood(run, connections, (turn) => ({
    path: paths[turn % paths.length]!,
    body: bomb(turn % MAKERS.length),
  }))
}

export const json: readonly Attack[] = [
  byGuest('JSON bombs of 60 kB from a guest', (run) => throwBombs(run, 4, 60_000, GUEST_PATHS)),
  byGuest('JSON bombs of 1 MB where guests write', { isShort: true }, (run) =>
    throwBombs(run, 4, 1_000_000, ['/api/collections/boards/records', '/api/batch']),
  ),
  byGuest('JSON bombs of 31 MB from a guest', (run) => throwBombs(run, 3, 31_000_000, GUEST_PATHS)),
  byUser('JSON bombs of 1 MB from a user', (run) => throwBombs(run, 4, 1_000_000, USER_PATHS)),
  byUser('JSON bombs of 31 MB from a user', { isShort: true }, (run) =>
    throwBombs(run, 3, 31_000_000, USER_PATHS),
  ),
]
