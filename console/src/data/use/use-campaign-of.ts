import { pb } from '../client.ts'
import type { Campaign } from '../records.ts'
import { session } from '../session.ts'
import { useList } from './use-list.ts'

/** The campaign of a text, which alone may cancel, change or repeat the text. Undefined if there is none. */
export function useCampaignOf(sentBy: string): Campaign | undefined {
  const ready = sentBy !== '' && session.value?.role === 'user' && sentBy !== session.value.sender
  const filter = pb.filter('id = {:id}', { id: sentBy })
  const found = useList<Campaign>('campaigns', { filter, perPage: 1, live: false, ready })
  return ready ? found.items[0] : undefined
}
