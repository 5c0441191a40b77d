import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { pb } from '../../data/client.ts'
import { saveFile } from '../../data/files/save-file.ts'
import { writeBadRowsCsv } from '../../data/files/sheet.ts'
import type { Campaign, CampaignRecipient } from '../../data/record-types.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { FAILED_FILTER } from '../../data/words/message-states.ts'
import { translateRowReason } from '../../data/words/row-reasons.ts'
import { t } from '../../language/words.ts'
import { Segments } from '../../parts/form/choices.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
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
  const sort = campaign.reminder ? '-created' : 'line'
  const of = pb.filter('campaign = {:id}', { id: campaign.id })
  const list = useList<CampaignRecipient>('campaign_recipients', {
    filter: FILTERS[state] ? `${of} && (${FILTERS[state]})` : of,
    sort,
    expand: 'message',
    perPage: SHOWN,
    live: false,
    everyMs: REFRESH_MS,
  })
  const findName = useNames(list.items.map(({ to }) => to))
  const save = useTask(async () => {
    const rows = await pb
      .collection('campaign_recipients')
      .getFullList<CampaignRecipient>({ filter: `${of} && ${FILTERS.out}`, sort, batch: 500 })
    const titles = [...new Set(rows.flatMap(({ values }) => Object.keys(values ?? {})))]
    const bad = rows.map(({ line: row, to, values, reason }) => ({
      row,
      cells: [to, ...titles.map((title) => String(values?.[title] ?? ''))],
      why: translateRowReason(reason),
    }))
    saveFile('left-out.csv', writeBadRowsCsv({ head: [t('Number'), ...titles] }, bad))
  })
  return (
    <Card title={t('Recipients')}>
      <FaultNotice fault={save.fault} />
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
      {state === 'out' && list.items.length > 0 && (
        <div>
          <Button icon="download" task={save}>
            {t('Save them as a file')}
          </Button>
        </div>
      )}
    </Card>
  )
}
