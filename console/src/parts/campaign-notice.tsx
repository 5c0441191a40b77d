import { makeTitle } from '../data/campaign-progress.ts'
import type { Campaign } from '../data/record-types.ts'
import { tx } from '../language/words.ts'
import { makePageHref } from '../router.ts'
import { Notice } from './form/form.tsx'

/** Says where texts of a campaign are canceled, changed and sent again. */
export const CampaignNotice = ({ campaign }: { campaign: Campaign }) => (
  <Notice>
    {tx('This text belongs to the campaign {link}. Cancel, change or send again there.', {
      link: <a href={makePageHref(`/campaigns/${campaign.id}`)}>{makeTitle(campaign)}</a>,
    })}
  </Notice>
)
