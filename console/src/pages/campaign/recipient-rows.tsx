import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { pb } from '../../data/client.ts'
import type { Campaign, CampaignRecipient } from '../../data/record-types.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { FAILED_FILTER } from '../../data/words/message-states.ts'
import { translateRowReason } from '../../data/words/row-reasons.ts'
import { t } from '../../language/words.ts'
import { Segments } from '../../parts/form/choices.tsx'
import { Records } from '../../parts/list/records.tsx'
import { Card } from '../../parts/page.tsx'
import { Badge, MessageStatus } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'

const REFRESH_MS = 5_000
const SHOWN = 50

/** The status of a row's text in the filter of rows. */
const FAILED = FAILED_FILTER.replace(/\b(status|error_message)\b/g, 'message.$1')

const STATES = [
  ['all', t('All#people')],
  ['waiting', t('Waiting#people')],
  ['sent', t('Sent#people')],
  ['failed', t('Failed#people')],
  ['out', t('Left out')],
] as const
type RowState = (typeof STATES)[number][0]

const FILTERS: Readonly<Record<RowState, string>> = {
  all: '',
  waiting:
    '(message = "" && reason = "") || message.status = "pending" || message.status = "assigned" || message.status = "sending"',
  sent: 'message.status = "sent" || message.status = "delivered"',
  failed: FAILED,
  out: 'reason != ""',
}

/** The state of each recipient: the rows of a list, or the occurrences of a reminder. */
export function RecipientRows({ campaign }: { campaign: Campaign }) {
  const [state, setState] = useState<RowState>('all')
  const of = pb.filter('campaign = {:id}', { id: campaign.id })
  const list = useList<CampaignRecipient>('campaign_recipients', {
    filter: FILTERS[state] ? `${of} && (${FILTERS[state]})` : of,
    sort: campaign.reminder ? '-created' : 'line',
    expand: 'message',
    perPage: SHOWN,
    live: false,
    everyMs: REFRESH_MS,
  })
  const findName = useNames(list.items.map(({ to }) => to))
  return (
    <Card title={t('Recipients')}>
      <Segments legend={t('State')} choices={STATES} chosen={state} onChoose={setState} />
      <Records
        list={list}
        isFollowed
        caption={t('Recipients')}
        columns={[
          {
            title: t('To'),
            cell: ({ to, message }) => {
              const words = findName(to) || formatPhone(to) || t('No number')
              return message ? (
                <a href={makePageHref(`/messages/${message}`)}>{words}</a>
              ) : (
                <span>{words}</span>
              )
            },
          },
          {
            title: t('Text'),
            long: true,
            spare: ({ message }) => !message,
            cell: ({ expand, values }) => (
              <bdi>{expand?.message?.body ?? Object.values(values ?? {}).join(' · ')}</bdi>
            ),
          },
          {
            title: t('State'),
            cell: ({ expand, reason }) =>
              reason ? (
                <Badge tone="warn">{translateRowReason(reason)}</Badge>
              ) : expand?.message ? (
                <MessageStatus message={expand.message} />
              ) : (
                <Badge tone="calm">{t('Waiting#people')}</Badge>
              ),
          },
        ]}
        empty={<p class="muted">{t('Nobody is in this state.')}</p>}
      />
    </Card>
  )
}
