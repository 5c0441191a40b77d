import { Fragment } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { parseDate } from '../../data/text/local-time.ts'
import { readNowMs } from '../../data/text/now.ts'
import { nameDay } from '../../data/text/relative-time.ts'
import { HERE } from '../../data/time-zones.ts'
import { formatMonth } from '../../data/usage.ts'
import { useNames } from '../../data/use/use-known.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { locale } from '../../language/language.ts'
import { t, tn } from '../../language/words.ts'
import { Segments } from '../../parts/form/choices.tsx'
import { ButtonLink, FaultNotice } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Pager, TableSection } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame, Loading } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { goToPage, makePageHref, type PageProps } from '../../router.ts'
import {
  type Entry,
  groupByDay,
  makeCampaignEntry,
  makeReminderEntry,
  makeRunEntry,
  makeSendEntry,
} from './entries.ts'
import { useLaterRuns } from './later-runs.ts'
import { ListLinks } from './list-links.tsx'
import { Month } from './month.tsx'
import {
  addDays,
  findMonth,
  findWeek,
  isDay,
  makeDayReader,
  mergeEntries,
  type Period,
} from './periods.ts'
import { ChangeTime, cancelSend } from './send-actions.tsx'
import { SendTexts } from './send-texts.tsx'
import {
  type ScheduledSend,
  useReminders,
  useScheduledCampaigns,
  useScheduledSends,
} from './use-scheduled.ts'

const PATH = '/scheduled'
const ABOUT = t('Texts, campaigns and reminders that wait for their time, by day.')
const ALWAYS: Period = { from: '', until: '' }
const VIEWS = [
  ['', t('All')],
  ['week', t('Week')],
  ['month', t('Month')],
] as const
type View = (typeof VIEWS)[number][0]

const readView = (query: URLSearchParams): View =>
  VIEWS.find(([view]) => view === query.get('view'))?.[0] ?? ''

/** Entries that wait for their time, by the days of the account's time zone: all, a week, or a month. */
export function Page({ query }: PageProps) {
  const timeZone = ownSettings.value?.time_zone || HERE
  const view = readView(query)
  const readDay = useMemo(() => makeDayReader(timeZone), [timeZone])
  const asked = query.get('day') ?? ''
  const day = isDay(asked) ? asked : readDay(readNowMs())
  const period = view === 'week' ? findWeek(day) : view === 'month' ? findMonth(day) : ALWAYS
  const campaigns = useScheduledCampaigns()
  const reminders = useReminders()
  const laterRuns = useLaterRuns(campaigns.items, period)
  const others = [
    ...campaigns.items.map(makeCampaignEntry),
    ...reminders.items.map(makeReminderEntry),
    ...laterRuns.map(makeRunEntry),
  ].filter(({ at }) => isWithin(readDay(parseDate(at)), period))
  return (
    <Frame
      title={t('Scheduled')}
      text={`${ABOUT} ${t('Times are in {zone}.', { zone: timeZone.replaceAll('_', ' ') })}`}
    >
      <div class="row">
        <Segments
          legend={t('Show')}
          choices={VIEWS}
          chosen={view}
          onChoose={(next) => goToPage(PATH, { view: next, day: next && day })}
        />
        {view !== '' && <Steps view={view} period={period} />}
      </div>
      <FaultNotice fault={campaigns.fault ?? reminders.fault} />
      {view === 'month' ? (
        <Month
          period={period}
          today={readDay(readNowMs())}
          campaigns={campaigns.items.map(({ scheduled_at: at }) => readDay(parseDate(at)))}
          reminders={reminders.items.map(({ follow_up_at: at }) => readDay(parseDate(at)))}
          laterRuns={laterRuns.map(({ at }) => readDay(parseDate(at)))}
        />
      ) : (
        <Sends
          period={period}
          others={others}
          isReading={campaigns.loading || reminders.loading}
          timeZone={timeZone}
        />
      )}
    </Frame>
  )
}

const isWithin = (day: string, { from, until }: Period) =>
  (from === '' || day >= from) && (until === '' || day <= until)

/** The name of the week or month, and links to those beside it. */
function Steps({ view, period: { from, until } }: { view: View; period: Period }) {
  const link = (day: string) => makePageHref(PATH, { view, day })
  const title =
    view === 'month'
      ? formatMonth(from.slice(0, 7))
      : t('{first} to {last}', {
          first: nameDay(from, readNowMs()),
          last: nameDay(until, readNowMs()),
        })
  return (
    <div class="row">
      <ButtonLink kind="quiet" icon="left" iconOnly href={link(addDays(from, -1))}>
        {t('Earlier')}
      </ButtonLink>
      <strong>{title}</strong>
      <ButtonLink kind="quiet" icon="right" iconOnly href={link(addDays(until, 1))}>
        {t('Later')}
      </ButtonLink>
    </div>
  )
}

/** The entries of a period in sections, one for each day. */
function Sends({
  period,
  others,
  isReading,
  timeZone,
}: {
  period: Period
  others: readonly Entry[]
  isReading: boolean
  timeZone: string
}) {
  const sends = useScheduledSends(period)
  const [changed, setChanged] = useState<ScheduledSend>()
  const [opened, setOpened] = useState('')
  const isLoading = isReading || sends.loading
  const entries = mergeEntries(sends.items.map(makeSendEntry), others, sends.next === '')
  const findName = useNames(entries.map(({ number }) => number))
  const columns = useMemo(() => makeColumns(timeZone, findName, setChanged), [timeZone, findName])
  return (
    <>
      <FaultNotice fault={sends.fault} />
      {isLoading && <Loading />}
      {!isLoading && !sends.fault && entries.length === 0 && (
        <Empty icon="clock" title={t('Nothing is scheduled')}>
          {t(
            'To send a text later, choose its time in the form or press the clock beside an answer.',
          )}
        </Empty>
      )}
      {!isLoading &&
        groupByDay(entries, timeZone).map(([title, rows]) => (
          <Fragment key={title}>
            <TableSection
              title={title}
              columns={columns}
              rows={rows}
              href={({ href }) => href}
              onOpen={({ id }) => setOpened(id === opened ? '' : id)}
              below={({ id, send }) =>
                send && id === opened ? <SendTexts send={send} /> : undefined
              }
              none=""
            />
            <ListLinks rows={rows} timeZone={timeZone} />
          </Fragment>
        ))}
      <Pager page={1} pages={1} total={undefined} goTo={() => {}} grow={sends.grow} />
      {changed && <ChangeTime send={changed} onClose={() => setChanged(undefined)} />}
    </>
  )
}

const makeColumns = (
  timeZone: string,
  findName: (number: string) => string,
  change: (send: ScheduledSend) => void,
): readonly Column<Entry>[] => {
  const hour = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone })
  return [
    {
      title: t('To'),
      cell: (entry) => (
        <span class={entry.isLater ? 'muted' : ''}>
          {hour.format(parseDate(entry.at))} ·{' '}
          {entry.title && (
            <>
              <span class="scheduled-title cut">{entry.title}</span> ·{' '}
            </>
          )}
          {entry.number === ''
            ? tn('1 person', '{count} people', entry.people)
            : findName(entry.number) || <PhoneNumber number={entry.number} />}
          {entry.isLater && ` · ${t('repetition')}`}
        </span>
      ),
    },
    {
      title: t('Text'),
      long: true,
      cell: ({ body, hasPicture, isReminder, isLater }) => (
        <span class={isLater ? 'muted' : ''}>
          {hasPicture && <Icon name="picture" size={16} />} {isReminder && t('Reminder:')} {body}
        </span>
      ),
    },
    makeActionsColumn(
      ({ send }) =>
        send
          ? [
              { icon: 'clock', words: t('Change the time'), onClick: () => change(send) },
              {
                icon: 'close',
                words: tn('Cancel the text', 'Cancel the {count} texts', send.messages),
                onClick: () => void cancelSend(send),
              },
            ]
          : [],
      'agent',
    ),
  ]
}
