import { describeLine } from '../../data/device/lines.ts'
import { describeHours } from '../../data/hours.ts'
import type { Campaign } from '../../data/record-types.ts'
import { writeRepeatSentence } from '../../data/repeat.ts'
import { formatLocal, parseDate } from '../../data/text/local-time.ts'
import { ownHours } from '../../data/user-settings/own.ts'
import { t, tn } from '../../language/words.ts'
import { Attachments } from '../../parts/attachments/attachments.tsx'
import { NextTimes } from '../../parts/form/repeat-field.tsx'
import { OptedOutMembers } from '../../parts/opted-out-members.tsx'
import { Card, type Fact, Facts } from '../../parts/page.tsx'
import { formatPlannedTime } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'

/** The text of a campaign, its time, its audience and its line. */
export const TextCard = ({ campaign }: { campaign: Campaign }) => (
  <Card title={t('Text')}>
    <p class="as-written">{campaign.body}</p>
    <Attachments record={campaign} />
    <Facts
      facts={[
        [t('Time'), formatPlannedTime(campaign.scheduled_at)],
        campaign.repeat !== null && [t('How often'), writeRepeatSentence(campaign.repeat)],
        campaign.repeat !== null &&
          campaign.status === 'repeating' && [
            t('Next runs'),
            <NextTimes
              repeat={campaign.repeat}
              from={formatLocal(parseDate(campaign.scheduled_at))}
            />,
          ],
        campaign.run_of !== '' && [
          t('Run of'),
          <a href={makePageHref(`/campaigns/${campaign.run_of}`)}>
            {t('a campaign that repeats')}
          </a>,
        ],
        campaign.expires_at !== '' && [t('Ends'), formatPlannedTime(campaign.expires_at)],
        [t('Recipients'), describeAudience(campaign)],
        ...Object.entries(campaign.variables ?? {}).map(
          ([name, value]): Fact => [`{{${name}}}`, String(value)],
        ),
        campaign.expand?.line !== undefined && [t('Line'), describeLine(campaign.expand.line)],
        ownHours.value !== undefined && [
          t('Quiet hours'),
          campaign.quiet_hours ? describeHours(ownHours.value) : t('Ignored'),
        ],
      ]}
    />
    {(campaign.status === 'scheduled' || campaign.status === 'repeating') && (
      <OptedOutMembers groups={campaign.groups} />
    )}
  </Card>
)

/** How many people get the text, and the groups from which they are. */
function describeAudience(campaign: Campaign): string {
  const { recipients_count, recipients, groups: ids, repeat, expand } = campaign
  if (repeat !== null && recipients.length + ids.length === 0)
    return t('Nobody any more: its groups were deleted.')
  const people = tn('1 person', '{count} people', recipients_count)
  const groups = expand?.groups?.map(({ name }) => name) ?? []
  const numbers =
    recipients.length > 0 ? [tn('1 number', '{count} numbers', recipients.length)] : []
  return groups.length > 0
    ? t('{name}: {text}', { name: people, text: [...groups, ...numbers].join(', ') })
    : people
}
