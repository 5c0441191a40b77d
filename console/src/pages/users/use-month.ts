import { pb } from '../../data/client.ts'
import type { RecordOf, User } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'

/** How many messages these users have sent this month, by user id. Users without any are missing. */
export function useMonth(users: readonly User[]): ReadonlyMap<string, number> {
  const period = new Date().toISOString().slice(0, 7)
  const ofThese = users.map(({ id }) => pb.filter('user = {:id}', { id })).join(' || ')
  const { items } = useList<RecordOf<'sms_usage'>>('sms_usage', {
    filter: `${pb.filter('period = {:period}', { period })} && (${ofThese})`,
    perPage: Math.max(users.length, 1),
    ready: users.length > 0,
  })
  return new Map(items.map(({ user, used }) => [user, used]))
}
