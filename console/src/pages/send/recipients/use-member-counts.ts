import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../../data/client.ts'
import { tn } from '../../../language/words.ts'

/** How many members of each group get texts, as far as counted; each group is counted once. */
export function useMemberCounts(groups: readonly string[]): ReadonlyMap<string, number> {
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map())
  const next = groups.find((id) => !counts.has(id))
  useEffect(() => {
    if (next === undefined) return
    let isLeft = false
    void countMembers(next).then((count) => {
      if (!isLeft) setCounts((old) => new Map([...old, [next, count]]))
    })
    return () => {
      isLeft = true
    }
  }, [next])
  return counts
}

async function countMembers(group: string): Promise<number> {
  const filter = pb.filter('groups.id ?= {:group} && opted_out = false', { group })
  const found = await pb
    .collection('contacts')
    .getList(1, 1, { filter, fields: 'id' })
    .catch(() => undefined)
  return found?.totalItems ?? Number.NaN
}

/** `12 members`; nothing while it is not known. */
export const formatMemberCount = (count: number | undefined): string => {
  if (count === undefined || Number.isNaN(count)) return ''
  return tn('1 member', '{count} members', count)
}
