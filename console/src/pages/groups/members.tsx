import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { formatNumber, t } from '../../language/words.ts'

/** How many contacts a group has, and how many of them have opted out. */
export function Members({ group }: { group: string }) {
  const [counts, setCounts] = useState<readonly [all: number, out: number]>()
  useEffect(() => {
    const count = async (filter: string) => {
      const found = await pb.collection('contacts').getList(1, 1, { filter, fields: 'id' })
      return found.totalItems
    }
    const isIn = pb.filter('groups.id ?= {:group}', { group })
    Promise.all([count(isIn), count(`${isIn} && opted_out = true`)]).then(setCounts, () => {})
  }, [group])
  if (!counts) return <span class="muted">…</span>
  const [all, out] = counts
  return (
    <>
      {formatNumber(all)}
      {out > 0 && <span class="muted">, {t('{count} opted out', { count: out })}</span>}
    </>
  )
}
