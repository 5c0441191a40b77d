import { useMemo } from 'preact/hooks'
import { makeTitle } from '../../data/campaign-progress.ts'
import type { Campaign, Message } from '../../data/record-types.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { readNowMs } from '../../data/text/now.ts'
import { HERE } from '../../data/time-zones.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { locale } from '../../language/language.ts'
import { t, tn } from '../../language/words.ts'
import { FaultNotice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Pager, TableSection } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { useDrawn } from '../../parts/list/use-drawn.ts'
import { Page as Frame, Loading } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { makeConversationPath, makePageHref } from '../../router.ts'

const DAY_MS = 86_400_000
const MOST_CAMPAIGNS = 500
/** A campaign's texts are stored before it begins. */
const TEXTS = 'status = "pending" && scheduled_at > @now && sent_by.kind != "campaign"'
const SORT = 'scheduled_at,id'
const ABOUT = t('The texts and campaigns that wait for their time, by day.')

type Entry = Message | Campaign

const isCampaign = (entry: Entry): entry is Campaign => entry.collectionName === 'campaigns'

const makeHref = (entry: Entry) =>
  isCampaign(entry)
    ? makePageHref(`/campaigns/${entry.id}`)
    : makePageHref(makeConversationPath(entry.to), { at: `sms_messages/${entry.id}` })

/** Texts that are not due yet, and campaigns that have not begun, by the days of the account's time zone. */
export function Page() {
  const texts = useDrawn(useList<Message>('sms_messages', { filter: TEXTS, sort: SORT }))
  const campaigns = useList<Campaign>('campaigns', {
    filter: '(status = "scheduled" || status = "repeating") && scheduled_at > @now',
    sort: SORT,
    perPage: MOST_CAMPAIGNS,
  })
  const findName = useNames(texts.items.map((text) => text.to))
  const timeZone = ownSettings.value?.time_zone || HERE
  const columns = useMemo(() => makeColumns(timeZone, findName), [timeZone, findName])
  const days = groupByDay(mergeEntries(texts, campaigns.items), timeZone)
  const fault = texts.fault ?? campaigns.fault
  const isLoading = texts.loading || campaigns.loading
  return (
    <Frame
      title={t('Scheduled')}
      text={
        timeZone === HERE
          ? ABOUT
          : `${ABOUT} ${t('Times are in {zone}.', { zone: timeZone.replaceAll('_', ' ') })}`
      }
    >
      <FaultNotice fault={fault} />
      {isLoading && <Loading />}
      {!isLoading && !fault && days.length === 0 && (
        <Empty icon="clock" title={t('Nothing is scheduled')}>
          {t(
            'To send a text later, choose its time in the form or press the clock beside an answer.',
          )}
        </Empty>
      )}
      {!isLoading &&
        days.map(([title, rows]) => (
          <TableSection
            key={title}
            title={title}
            columns={columns}
            rows={rows}
            href={makeHref}
            none=""
          />
        ))}
      <Pager {...texts} />
    </Frame>
  )
}

const makeColumns = (
  timeZone: string,
  findName: (number: string) => string,
): readonly Column<Entry>[] => {
  const hour = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone })
  return [
    {
      title: t('To'),
      cell: (entry) => (
        <span>
          {hour.format(parseDate(entry.scheduled_at))} ·{' '}
          {isCampaign(entry)
            ? `${makeTitle(entry)} · ${tn('1 person', '{count} people', entry.recipients_count)}`
            : findName(entry.to) || <PhoneNumber number={entry.to} />}
        </span>
      ),
    },
    { title: t('Text'), long: true, cell: ({ body }) => body },
  ]
}

/** Texts and campaigns in the order of their times: the campaigns between the texts that are read so far. */
function mergeEntries(
  texts: ReturnType<typeof useList<Message>>,
  campaigns: readonly Campaign[],
): Entry[] {
  const { items, page, pages, total } = texts
  const from = page > 1 ? items[0]?.scheduled_at : undefined
  const isWhole = page === pages && (page > 1 || items.length === total)
  const until = isWhole ? undefined : items.at(-1)?.scheduled_at
  const between = campaigns.filter(
    ({ scheduled_at: at }) => !((from && at < from) || (until && at >= until)),
  )
  return [...items, ...between].sort((a, b) => a.scheduled_at.localeCompare(b.scheduled_at))
}

/** The entries of each day, with the day's title, such as `Tomorrow, Sunday, November 29`. */
function groupByDay(
  entries: readonly Entry[],
  timeZone: string,
): [title: string, entries: Entry[]][] {
  const title = new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone,
  })
  const iso = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone })
  const numberDay = (ms: number) => Date.parse(iso.format(ms)) / DAY_MS
  const today = numberDay(readNowMs())
  const days = Map.groupBy(entries, ({ scheduled_at }) => numberDay(parseDate(scheduled_at)))
  return [...days].map(([day, those]) => {
    const date = title.format(parseDate(those[0]!.scheduled_at))
    const near = [t('Today'), t('Tomorrow')][day - today]
    return [near ? `${near}, ${date}` : date, those]
  })
}
