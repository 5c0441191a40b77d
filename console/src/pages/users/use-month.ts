import type { RecordModel } from 'pocketbase'
import { pb } from '../../data/client.ts'
import type { User } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'

interface Month extends RecordModel {
  readonly user: string
  readonly used: number
}

/** How many messages these users have sent this month, by user id. Users without any are missing. */
export function useMonth(users: readonly User[]): ReadonlyMap<string, number> {
  const period = new Date().toISOString().slice(0, 7)
  const ofThese = users.map(({ id }) => pb.filter('user = {:id}', { id })).join(' || ')
  const { items } = useList<Month>('sms_usage', {
    filter: `${pb.filter('period = {:period}', { period })} && (${ofThese})`,
    perPage: Math.max(users.length, 1),
    ready: users.length > 0,
  })
  return new Map(items.map(({ user, used }) => [user, used]))
}
