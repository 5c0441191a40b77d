import type { ComponentChildren } from 'preact'
import { INBOX_STATES } from '#portable/inbox-views.ts'
import { addLanguageWords, ENGLISH_WORDS } from '#portable/opt-words-by-language.ts'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { readsLikeOptOut } from '#portable/reads-like-opt-out.ts'
import { makeTitle } from '../../data/campaign-progress.ts'
import { pb } from '../../data/client.ts'
import { isDeclined } from '../../data/opt-out/opt-out.ts'
import { useOptedOutNumbers } from '../../data/opt-out/opted-out.ts'
import type { Campaign, Conversation, Message } from '../../data/record-types.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { formatBounded } from '../../data/unread.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useLines, useList } from '../../data/use/use-list.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { findAdvice } from '../../data/words/advice.ts'
import {
  FAILED_FILTER,
  isOutcomeUnknown,
  translateFailureReason,
} from '../../data/words/message-states.ts'
import { locale } from '../../language/language.ts'
import { t, tn } from '../../language/words.ts'
import { Avatar } from '../../parts/avatar.tsx'
import { type LinkRow, LinkRows } from '../../parts/link-rows.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Card, Loading } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { makeConversationPath, makePageHref } from '../../router.ts'

/** Facts that only admins look after, from GET /api/account/today. */
export interface Hand {
  readonly kind: 'silent_device' | 'failing_line' | 'failed_campaign' | 'former_member'
  readonly id: string
  readonly name: string
  readonly since: string
}

/** Rows of one kind of work. `href` lists all of them, if there may be more. */
interface Work {
  readonly title: string
  readonly loading?: boolean
  readonly rows: readonly LinkRow[]
  readonly total?: number
  readonly href?: string
}

const SHOWN = 5
/** A page of records among which rows are searched. */
const MOST = 100
const MOST_FAILED = 500
const EVERY_MS = 60_000

/** The work of a day, each kind with its own card; a row leads to exactly what it counts. */
export function WorkOfToday({
  day,
  waiting,
  hands,
}: {
  day: string
  waiting: number
  hands: readonly Hand[]
}) {
  const optOutLike = useOptOutLike()
  const all: readonly Work[] = [
    useHands(hands),
    useWaiting(waiting, optOutLike.rows),
    useFailed(day),
    optOutLike,
    useLeaving(day),
  ]
  const kinds = all.filter(({ rows }) => rows.length > 0)
  if (kinds.length === 0 && all.some(({ loading }) => loading)) return <Loading />
  if (kinds.length === 0)
    return (
      <Empty icon="check" title={t('Nothing waits for you')}>
        {t('Nobody waits for an answer, and no text failed today.')}
      </Empty>
    )
  return (
    <div class="today-work">
      {kinds.map(({ title, rows, total = rows.length, href }) => (
        <Card
          key={title}
          title={title}
          actions={
            href &&
            total > rows.length && (
              <a href={href}>{t('All {count}', { count: formatBounded(total) })}</a>
            )
          }
        >
          <LinkRows rows={rows} />
        </Card>
      ))}
    </div>
  )
}

const makePersonRow = (
  { number, name, last_text }: Conversation,
  end: ComponentChildren,
  at = '',
): LinkRow => ({
  href: makePageHref(makeConversationPath(number), { at }),
  lead: <Avatar name={name} of={number} />,
  title: name || formatPhone(number),
  text: last_text,
  isCut: true,
  end,
})

/** Who waits for an answer, the longest first, without those in `others`. */
function useWaiting(total: number, others: readonly LinkRow[]): Work {
  const { items, loading } = useList<Conversation>('conversations', {
    filter: INBOX_STATES.waiting,
    sort: 'last_at',
    perPage: 2 * SHOWN,
    isCounted: false,
  })
  return {
    title: t('Waiting for an answer'),
    loading,
    rows: items
      .map((row) => makePersonRow(row, <Time at={row.last_at} />))
      .filter(({ href }) => others.every((other) => other.href !== href))
      .slice(0, SHOWN),
    total,
    href: makePageHref('/conversations', { view: 'waiting' }),
  }
}

/** Why texts of today failed, and what to do about it: a row for each reason. */
function useFailed(day: string): Work {
  const start = new Date(`${day}T00:00`)
  const { items, loading } = useList<Message>('sms_messages', {
    filter: pb.filter(`${FAILED_FILTER} && created >= {:start}`, { start }),
    fields: 'id,error_message,body',
    perPage: MOST_FAILED,
  })
  const reasons = [...Map.groupBy(items, ({ error_message }) => error_message)]
  return {
    title: t('Failed today'),
    loading,
    rows: reasons.map(([reason, texts]) => ({
      href: makePageHref('/messages', {
        filter: pb.filter(`${FAILED_FILTER} && error_message = {:reason}`, { reason }),
        from: day,
      }),
      lead: 'warning',
      tone: 'bad',
      title: translateFailureReason(reason) || t('No reason was given'),
      isSentence: true,
      text: describeCure(texts[0]!),
      end: tn('1 text', '{count} texts', texts.length),
    })),
  }
}

function describeCure(text: Message): string {
  if (isOutcomeUnknown(text))
    return t('These texts may have arrived: ask the recipients before you send them again.')
  if (text.error_message === 'Recipient has opted out')
    return t('These people want no texts: there is nothing to do.')
  return findAdvice(text, { hasContact: true, isOptedOut: false })
}

/** Whose last text reads like an opt-out, without being one of the words. */
function useOptOutLike(): Work {
  const { items } = useList<Conversation>('conversations', {
    filter: `${INBOX_STATES.waiting} && last_type = "incoming"`,
    sort: '-last_at',
    perPage: MOST,
    isCounted: false,
  })
  const words = addLanguageWords(ENGLISH_WORDS, ownSettings.value?.opt_out_languages ?? [])
  const found = items
    .slice(0, MOST)
    .filter(({ last_text }) => readsLikeOptOut({ body: last_text, subject: '' }, words))
    .filter(({ last_message }) => !isDeclined(last_message))
    .slice(0, SHOWN)
  const hasOptedOut = useOptedOutNumbers(found.map(({ number }) => number))
  return {
    title: t('Reads like an opt-out'),
    rows: found
      .filter(({ number }) => !hasOptedOut(number))
      .map((row) => makePersonRow(row, <Time at={row.last_at} />)),
  }
}

interface Send {
  readonly send: string
  readonly is_batch: boolean
  readonly scheduled_at: string
  readonly messages: number
  readonly message: string
  readonly to: string
  readonly body: string
}

/** Campaigns, texts and reminders whose time comes today, the earliest first. */
function useLeaving(day: string): Work {
  const timeZone = ownSettings.value?.time_zone || undefined
  const readDay = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone })
  const formatHour = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone })
  const query = new URLSearchParams({ from: day, until: day, limit: String(SHOWN) })
  const { value } = useAnswer<{ items: readonly Send[] }>(`/api/sms/scheduled?${query}`, EVERY_MS)
  const sends = value?.items ?? []
  const campaigns = useList<Campaign>('campaigns', {
    filter: '(status = "scheduled" || status = "repeating") && scheduled_at > @now',
    sort: 'scheduled_at,id',
    perPage: SHOWN,
    isCounted: false,
  })
  const reminders = useList<Conversation>('conversations', {
    filter: 'follow_up_at > @now',
    sort: 'follow_up_at,id',
    perPage: SHOWN,
    isCounted: false,
  })
  const findName = useNames(sends.map(({ to }) => to))
  const rows: (LinkRow & { readonly at: string })[] = [
    ...campaigns.items.map((campaign) => ({
      at: campaign.scheduled_at,
      href: makePageHref(`/campaigns/${campaign.id}`),
      lead: 'campaigns',
      title: makeTitle(campaign),
      text: tn('1 person', '{count} people', campaign.recipients_count),
    })),
    ...sends.map((send) => ({
      at: send.scheduled_at,
      href: send.is_batch
        ? makePageHref('/send', { batch: send.send })
        : makePageHref(makeConversationPath(send.to), { at: `sms_messages/${send.message}` }),
      lead: 'send',
      title:
        send.messages > 1
          ? tn('1 person', '{count} people', send.messages)
          : findName(send.to) || formatPhone(send.to),
      text: send.body,
      isCut: true,
    })),
    ...reminders.items.map((row) => ({
      ...makePersonRow(row, ''),
      at: row.follow_up_at,
      lead: 'clock',
    })),
  ]
  const today = rows.filter(({ at }) => readDay.format(parseDate(at)) === day)
  return {
    title: t('Due today'),
    loading: campaigns.loading,
    rows: today
      .sort((a, b) => a.at.localeCompare(b.at))
      .slice(0, SHOWN)
      .map((row) => ({ ...row, end: formatHour.format(parseDate(row.at)) })),
    total: today.length,
    href: makePageHref('/scheduled', { view: 'week' }),
  }
}

const HANDS: Readonly<Record<Hand['kind'], string>> = {
  silent_device: t('This device is silent: check whether it is on and has a network.'),
  failing_line: t('Texts of this line fail: open its device to see why.'),
  failed_campaign: t('This campaign failed: open it to see why.'),
  former_member: t('Member of a former directory: keep or remove'),
}

function useHands(hands: readonly Hand[]): Work {
  const lines = useLines()
  const paths: Readonly<Record<Hand['kind'], (id: string) => string>> = {
    silent_device: (id) => `/devices/${id}`,
    failing_line: (id) => `/devices/${lines.find((line) => line.id === id)?.device ?? ''}`,
    failed_campaign: (id) => `/campaigns/${id}`,
    former_member: () => '/team',
  }
  return {
    title: t('Needs attention'),
    rows: hands.map(({ kind, id, name, since }) => ({
      href: makePageHref(paths[kind](id)),
      lead:
        kind === 'failed_campaign' ? 'campaigns' : kind === 'former_member' ? 'users' : 'devices',
      tone: 'warn',
      title: name || '–',
      text: HANDS[kind],
      end: <Time at={since} />,
    })),
  }
}
