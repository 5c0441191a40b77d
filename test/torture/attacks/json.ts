import { type Attack, type AttackRun, asUser } from './attack.ts'
import { flood } from './flood.ts'

// JSON that takes a parser, a checker or the memory long.

const join = (count: number, partOf: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => partOf(i)).join(',')

/** Bombs of about `bytes`, by what is wrong with them. */
const bombs = (bytes: number): Readonly<Record<string, string>> => ({
  'deep lists': `{"data":${'['.repeat(bytes)}`,
  'deep lists, closed': `{"data":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  'deep objects': '{"a":'.repeat(bytes / 5),
  'many keys': `{${join(bytes / 12, (i) => `"k${i}":1`)}}`,
  'many keys, one level down': `{"data":{${join(bytes / 12, (i) => `"k${i}":1`)}}}`,
  'the same key': `{${join(bytes / 10, () => '"data":1')}}`,
  'a long list': `{"data":[${join(bytes / 2, () => '1')}]}`,
  'a long list of lists': `{"data":[${join(bytes / 3, () => '[]')}]}`,
  'a huge number': `{"data":[1e309,${join(bytes / 2, () => '1')}]}`,
  'large numbers': `{"data":[${join(bytes / 6, () => '1e308')}]}`,
  'one long number': `{"data":${'9'.repeat(bytes)}}`,
  escapes: `{"title":"${'\\u0000'.repeat(bytes / 6)}"}`,
  backslashes: `{"title":"${'\\\\'.repeat(bytes / 2)}"}`,
  'an open text': `{"title":"${'\\"'.repeat(bytes / 2)}`,
  blanks: `${' '.repeat(bytes)}{}`,
})

const GUEST_PATHS = [
  '/api/collections/users/auth-with-password',
  '/api/batch',
  '/api/realtime',
  '/api/devices/pair',
  '/api/collections/boards/records',
  '/api/collections/members/records',
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
function throwBombs(
  run: AttackRun,
  connections: number,
  bytes: number,
  paths: readonly string[],
  token?: string,
) {
  const bodies = Object.values(bombs(bytes)).map((text) => Buffer.from(text))
  return flood(run, connections, (turn) => ({
    path: paths[Math.floor(turn / bodies.length) % paths.length]!,
    body: bodies[turn % bodies.length]!,
    ...(token && { token }),
  }))
}

export const json: readonly Attack[] = [
  {
    name: 'JSON bombs of 60 kB from a guest',
    who: 'guest',
    attack: (run) => throwBombs(run, 4, 60_000, GUEST_PATHS),
  },
  {
    name: 'JSON bombs of 1 MB where guests write',
    who: 'guest',
    isShort: true,
    attack: (run) => throwBombs(run, 4, 1_000_000, ['/api/collections/boards/records', '/api/batch']),
  },
  {
    name: 'JSON bombs of 31 MB from a guest',
    who: 'guest',
    attack: (run) => throwBombs(run, 3, 31_000_000, GUEST_PATHS),
  },
  {
    name: 'JSON bombs of 1 MB from a user',
    who: 'user',
    prepare: asUser(),
    attack: (run) => throwBombs(run, 4, 1_000_000, USER_PATHS, run.prepared.token),
  },
  {
    name: 'JSON bombs of 31 MB from a user',
    who: 'user',
    isShort: true,
    prepare: asUser(),
    attack: (run) => throwBombs(run, 3, 31_000_000, USER_PATHS, run.prepared.token),
  },
]
