import { pb } from '../client.ts'
import type { Campaign } from '../record-types.ts'
import { isUser, session } from '../session.ts'
import { useOne } from './use-list.ts'

/** The campaign of a text, which alone may cancel, change or repeat the text. Undefined if there is none. */
export function useCampaign(sentBy: string): Campaign | undefined {
  const ready = sentBy !== '' && isUser() && sentBy !== session.value?.sender
  const filter = ready ? pb.filter('id = {:id}', { id: sentBy }) : undefined
  return useOne<Campaign>('campaigns', filter, { live: false }).record
}
