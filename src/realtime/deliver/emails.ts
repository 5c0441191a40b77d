import type { Store } from '../../collections/catalog.ts'
import { columnsOf } from '../../records/columns.ts'
import type { EventLoopSlices } from '../../tools/event-loop-slices.ts'
import type { Change } from '../changes/change.ts'
import { type Access, ALWAYS, accessBy } from '../clients/access.ts'
import type { GroupState } from '../clients/subscription-groups.ts'
import { decide } from './decide.ts'

/**
 * Which candidates see an auth record's email despite its `emailVisibility`: superusers, the record itself
 * and those that its manageRule lets through. With `slices` other work is done in between.
 */
export async function emailsSeen(
  store: Store,
  change: Change,
  candidates: readonly GroupState[],
  slices?: EventLoopSlices,
): Promise<readonly boolean[]> {
  const { collection, record, row } = change
  if (collection.type !== 'auth' || row[columnsOf(collection).at.get('emailVisibility')!] === true)
    return candidates.map(() => true)
  const accesses: Access[] = []
  for (const { request } of candidates) {
    if (slices?.isUsedUp) await slices.next()
    const { auth } = request
    const isSelf = auth?.id === record && auth.collection.id === collection.id
    accesses.push(isSelf ? ALWAYS : accessBy(store.catalog, collection, collection.manageRule, request))
  }
  return decide(store, change, accesses)
}
