import { pb } from '../../data/client.ts'
import type { Campaign } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'
import { askToConfirm } from '../../parts/dialog/dialog.tsx'
import { formatPlannedTime } from '../../parts/time.tsx'

const DAY_MS = 86_400_000
/** How many of the newest campaigns are compared. */
const MOST = 50

/** Asks before a text is sent to a list that a campaign of the last 24 hours has, too. */
export async function confirmSameText(body: string): Promise<boolean> {
  const since = new Date(Date.now() - DAY_MS)
  const { items } = await pb.collection('campaigns').getList<Campaign>(1, MOST, {
    filter: pb.filter('created > {:since} && status != "canceled"', { since }),
    sort: '-created',
    skipTotal: true,
  })
  const same = items.find((campaign) => campaign.body === body)
  if (!same) return true
  return askToConfirm({
    title: t('Send it again?'),
    text: t('A campaign of {time} has the same text. Whoever is in both lists gets it twice.', {
      time: formatPlannedTime(same.created),
    }),
    action: t('Send it again'),
  })
}
