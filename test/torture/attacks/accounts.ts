import { type Attack, byGuest, byUser } from './attack.ts'
import { flood, type Shot } from './sockets.ts'

// Password hashes, mails and codes.

const AUTH = '/api/collections/users'
/** As many clients, each with an address of its own. */
const address = (turn: number) => `127.0.${10 + (turn % 7)}.${1 + (turn % 250)}`

const mails = (turn: number): Shot => {
  const collection = turn % 2 ? 'users' : 'clients'
  const kind = ['request-otp', 'request-password-reset', 'request-verification'][turn % 3]
  const body = JSON.stringify({ email: `nobody-${turn % 1_000}@example.com` })
  return { path: `/api/collections/${collection}/${kind}`, body }
}

export const accounts: readonly Attack[] = [
  byGuest('wrong passwords from many addresses', (run) =>
    flood(run, 64, (turn) => ({
      path: `${AUTH}/auth-with-password`,
      body: JSON.stringify({ identity: `nobody-${turn}@example.com`, password: `wrong-${turn}` }),
      address: address(turn),
    })),
  ),
  byGuest('wrong passwords from one address', { isShort: true }, (run) =>
    flood(run, 100, (turn) => ({
      path: `${AUTH}/auth-with-password`,
      body: JSON.stringify({ identity: 'root@example.com', password: `wrong-${turn}` }),
    })),
  ),
  byGuest('passwords of 60 kB', (run) =>
    flood(run, 32, (turn) => ({
      path: `${AUTH}/auth-with-password`,
      body: JSON.stringify({
        identity: `nobody-${turn}@example.com`,
        password: 'é'.repeat(29_000),
      }),
    })),
  ),
  byGuest('one-time passwords, resets and verifications', (run) => flood(run, 32, mails)),
  byGuest('sign-ups by guests', (run) =>
    flood(run, 64, () => {
      const password = 'secret-enough'
      const email = `${Math.random()}@example.com`
      return {
        path: '/api/collections/clients/records',
        body: JSON.stringify({ email, password, passwordConfirm: password }),
      }
    }),
  ),
  byGuest('sign-ups by guests in batches', (run) =>
    flood(run, 8, () => {
      const password = 'secret-enough'
      const requests = Array.from({ length: 50 }, () => ({
        method: 'POST',
        url: '/api/collections/clients/records',
        body: { email: `${Math.random()}@example.com`, password, passwordConfirm: password },
      }))
      return { path: '/api/batch', body: JSON.stringify({ requests }) }
    }),
  ),
  byGuest('one-time passwords that are guessed', (run) =>
    flood(run, 32, (turn) => ({
      path: '/api/collections/clients/auth-with-otp',
      body: JSON.stringify({ otpId: 'a'.repeat(15), password: String(1e7 + turn) }),
    })),
  ),
  byGuest('forged tokens', (run) =>
    flood(run, 8, (turn) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const claims = {
        id: 'a'.repeat(15),
        collectionId: '_pb_users_auth_',
        type: 'auth',
        exp: 9e9,
        turn,
      }
      const token = `${part({ alg: turn % 2 ? 'none' : 'HS256' })}.${part(claims)}.${'a'.repeat(turn % 10_000)}`
      return { path: '/api/collections/contacts/records', token }
    }),
  ),
  byUser('password changes without the old one', { isShort: true }, (run) =>
    flood(run, 300, (turn) => ({
      method: 'PATCH',
      path: `${AUTH}/records/${run.prepared.id}`,
      body: JSON.stringify({
        password: `another-${turn}`,
        passwordConfirm: `another-${turn}`,
        ...(turn % 2 && { oldPassword: `wrong-${turn}` }),
      }),
    })),
  ),
  byUser('password changes in batches', (run) => {
    const change = {
      method: 'PATCH',
      url: `${AUTH}/records/${run.prepared.id}`,
      body: { password: 'another-one', passwordConfirm: 'another-one', oldPassword: 'wrong-one' },
    }
    // with more, the batch is refused
    const body = JSON.stringify({ requests: Array.from({ length: 3 }, () => change) })
    return flood(run, 16, () => ({ path: '/api/batch', body }))
  }),
  byUser('email changes, refreshes and file tokens', (run) =>
    flood(run, 16, (turn) => {
      const email = JSON.stringify({ newEmail: `new-${turn}@example.com` })
      const shots: readonly Shot[] = [
        { path: `${AUTH}/request-email-change`, body: email },
        { path: `${AUTH}/auth-refresh`, body: '{}' },
        { path: '/api/files/token', body: '{}' },
        { path: `${AUTH}/impersonate/${run.prepared.id}`, body: '{}' },
      ]
      return shots[turn % shots.length]!
    }),
  ),
]
