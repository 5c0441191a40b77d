import { pb } from '../../data/client.ts'
import type { User } from '../../data/records.ts'

const RANDOM_BYTES = 24

/** Keeps a user out: a password that nobody knows, which ends all sessions; no keys; no device that is on. */
export async function lockOut(user: User): Promise<void> {
  const password = randomPassword()
  await pb.collection('users').update(user.id, { password, passwordConfirm: password })
  const filter = pb.filter('user = {:id}', { id: user.id })
  const keys = await pb.collection('api_keys').getFullList({ filter, fields: 'id' })
  const devices = await pb
    .collection('devices')
    .getFullList({ filter: `${filter} && enabled = true`, fields: 'id' })
  await Promise.all([
    ...keys.map(({ id }) => pb.collection('api_keys').delete(id)),
    ...devices.map(({ id }) => pb.collection('devices').update(id, { enabled: false })),
  ])
}

const randomPassword = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)), (byte) =>
    byte.toString(36).padStart(2, '0'),
  ).join('')
