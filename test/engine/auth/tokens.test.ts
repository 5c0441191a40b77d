import { isTokenSigned, readClaims, signToken } from '../../../src/engine/auth/tokens.ts'
import type { AuthCollection } from '../../../src/engine/collections/collection.ts'
import { type AuthRecord, makeAuthRecord } from '../../../src/engine/request/request.ts'

const SECRET = 's'.repeat(50)
const token = (duration: number) => ({ duration, secret: SECRET })
const collection = {
  type: 'auth',
  id: '_pb_users_auth_',
  name: 'users',
  authToken: token(432_000),
  fileToken: token(180),
  verificationToken: token(86_400),
  passwordResetToken: token(1_800),
  emailChangeToken: token(1_800),
} as AuthCollection

const values = { id: 'usralice0000001', tokenKey: 'k'.repeat(50), email: 'alice@example.com' }
const alice = makeAuthRecord(collection, values, '')
const withKey = (tokenKey: string): AuthRecord => ({
  ...alice,
  values: { ...alice.values, tokenKey },
})

/** Signed by PocketBase with the same token key and secret: impersonation for 10^9 seconds. */
const THEIRS =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJjb2xsZWN0aW9uSWQiOiJfcGJfdXNlcnNfYXV0aF8iLCJleHAiOjI3OTUxNjc0OTIsImlkIjoidXNyYWxpY2UwMDAwMDAxIiwicmVmcmVzaGFibGUiOmZhbHNlLCJ0eXBlIjoiYXV0aCJ9.MvR6xDJlPl5AIDeCMtrFwg2-EjM25tQQRVKlrYHrRRk'
const SIGNED_AT_MS = 1_795_167_492_000

beforeAll(() => void vi.useFakeTimers({ now: SIGNED_AT_MS, toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

const decode = (text: string) =>
  text
    .split('.')
    .slice(0, 2)
    .map((part) => Buffer.from(part, 'base64url').toString())

test("a token equals PocketBase's byte for byte", async () => {
  expect(await signToken(alice, 'auth', { refreshable: false, duration: 1_000_000_000 })).toBe(
    THEIRS,
  )
})

test.each([
  [
    'file',
    180,
    '{"collectionId":"_pb_users_auth_","exp":EXP,"id":"usralice0000001","type":"file"}',
  ],
  [
    'verification',
    86_400,
    '{"collectionId":"_pb_users_auth_","email":"alice@example.com","exp":EXP,"id":"usralice0000001","type":"verification"}',
  ],
] as const)(
  'a token for %s has claims that end after %i seconds',
  async (purpose, seconds, claims) => {
    const [header, payload] = decode(await signToken(alice, purpose))
    expect(header).toBe('{"alg":"HS256","typ":"JWT"}')
    expect(payload).toBe(claims.replace('EXP', String(SIGNED_AT_MS / 1000 + seconds)))
  },
)

const forge = (header: object, payload: object) =>
  `${[header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`

test('a signature with padding is refused', async () => {
  expect(await isTokenSigned(`${THEIRS}=`, alice, 'auth')).toBe(false)
})

test('a cached signature is checked again after the key changes', async () => {
  expect(await isTokenSigned(THEIRS, alice, 'auth')).toBe(true)
  expect(await isTokenSigned(THEIRS, withKey('y'.repeat(50)), 'auth')).toBe(false)
  expect(await isTokenSigned(THEIRS, alice, 'auth')).toBe(true)
})

const now = SIGNED_AT_MS / 1000
const CLAIMS = { id: 'a', collectionId: 'b', type: 'auth' }
test.each([
  ['that end in the future are accepted', { ...CLAIMS, exp: now + 1 }, true],
  ['without an end are accepted', CLAIMS, true],
  ['that end now are refused', { ...CLAIMS, exp: now }, false],
  ['with an exp that is not a number are refused', { ...CLAIMS, exp: 'tomorrow' }, false],
  ['without an id are refused', { ...CLAIMS, id: '' }, false],
  ['with an id that is not a text are refused', { ...CLAIMS, id: 5 }, false],
  ['without a type are refused', { ...CLAIMS, type: undefined }, false],
] as const)('claims %s', (_, payload, isRead) => {
  expect(readClaims(forge({ alg: 'HS256' }, payload)) !== null).toBe(isRead)
})

test.each(['', 'x', '..', '...', 'a.b.c', `${THEIRS}x.y`, ` ${THEIRS}`])(
  '%j is not read as a token',
  (text) => {
    expect(readClaims(text)).toBeNull()
  },
)
