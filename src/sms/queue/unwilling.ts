import type { Store } from '../../collections/catalog.ts'
import { consentOf } from '../consent/required.ts'
import { readScope } from '../send/kept-scope.ts'
import { optedOut } from '../send/opted-out.ts'
import type { LeftOut } from './retry-body.ts'

/** The recipient of a message of a batch, and KEPT_SCOPE of it. */
interface Sent {
  readonly to: string
  readonly scope: string | null
}

/**
 * Finds the recipients of a batch's messages who have opted out, were erased, have left a group of the send,
 * or have not given the consent that the send requires. All messages of a batch are of one send.
 */
export async function findUnwilling(
  store: Store,
  user: string,
  batch: readonly Sent[],
): Promise<ReadonlyMap<string, LeftOut>> {
  const phones = batch.map(({ to }) => to)
  const scope = readScope(batch[0]?.scope ?? null) ?? { template: '', groups: [] }
  const { missing } = await consentOf(store.db, user, scope, phones)
  const out = await optedOut(store, user, phones, scope.groups)
  return new Map<string, LeftOut>([
    ...[...missing].map((to) => [to, 'no_consent'] as const),
    ...[...out].map((to) => [to, 'opted_out'] as const),
  ])
}
