import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Fault } from '../data/fault.ts'
import { announced, formatBounded, mentioned } from '../data/unread.ts'
import { t } from '../language/words.ts'
import { makePageHref, place } from '../router.ts'
import { FaultNotice, isToldByBanner } from './form/form.tsx'
import { Icon } from './icon.tsx'

/** A longer title has a person's long name, and gets one line; a press shows the rest. */
const MOST_LETTERS = 60

/**
 * The heading of a page. Also sets the window's title, with the number of unread conversations. Takes the
 * focus when first shown, unless another element has it.
 */
export function Title({ children }: { children: string }) {
  const news = announced.value + mentioned.value
  useEffect(() => {
    document.title = `${news > 0 ? `(${formatBounded(news)}) ` : ''}${children} · pocketsms`
  }, [children, news])
  // focuses here, because pages that read a record render their title only later
  useEffect(focusTitle, [])
  return (
    <h1 tabIndex={-1} class={children.length > MOST_LETTERS ? 'long-title cut' : undefined}>
      {children}
    </h1>
  )
}

const HELP = t('How this page works')

/** The sections of the help (docs/console.md) that explain pages, by the first part of their paths. */
const SECTIONS: Readonly<Record<string, string>> = {
  send: 'send-a-text',
  campaigns: 'campaigns',
  scheduled: 'send-a-text',
  answers: 'automatic-answers',
  contacts: 'contacts-and-groups',
  groups: 'contacts-and-groups',
  'personal-data': 'personal-data',
  templates: 'templates',
  messages: 'messages',
  devices: 'devices',
  team: 'team',
  account: 'your-account',
  ...Object.fromEntries(
    ['users', 'collections', 'health', 'settings', 'backups', 'audit', 'logs'].map((path) => [
      path,
      'for-superusers',
    ]),
  ),
}

/** A page: title, state, a line about it, actions, content. `back`: a link to the page above it. */
export function Page({
  title,
  state,
  text,
  back,
  actions,
  children,
}: {
  title: string
  state?: ComponentChildren
  back?: { readonly href: string; readonly words: string }
  text?: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  const section = SECTIONS[place.value.path.split('/', 2)[1]!]
  return (
    <>
      <header class="page-head">
        <div>
          {back && (
            <a class="back" href={back.href}>
              <Icon name="left" size={14} /> {back.words}
            </a>
          )}
          <div class="page-title">
            <Title>{title}</Title>
            {section && (
              <a
                class="button quiet icon-only"
                href={makePageHref(`/help/${section}`)}
                title={HELP}
              >
                <Icon name="help" />
                <span class="unseen">{HELP}</span>
              </a>
            )}
            {state}
          </div>
          {text && <p>{text}</p>}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

export const Card = ({
  title,
  actions,
  children,
}: {
  title?: string
  actions?: ComponentChildren
  children: ComponentChildren
}) => (
  <section class="card">
    {title && (
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    {children}
  </section>
)

/** Focuses the title of the page, unless something else has the focus. */
export function focusTitle(): void {
  if (document.activeElement !== document.body) return
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}

export const Loading = ({ what = t('Loading') }: { what?: string }) => (
  <p class="loading" role="status">
    <span class="spinner" aria-hidden="true" /> {what}…
  </p>
)

/** Shown until a value is read, or why it cannot be read. */
export const Reading = ({ value, fault }: { value: unknown; fault: Fault | undefined }) =>
  fault && !isToldByBanner(fault) ? <FaultNotice fault={fault} /> : value ? null : <Loading />

/** A progress bar: `value` of `max`, described by `label`. `tone`: `warn` near a limit, `bad` at it. */
export const Progress = ({
  value,
  max,
  label,
  tone = '',
}: {
  value: number
  max: number
  label: string
  tone?: '' | 'warn' | 'bad'
}) => (
  <div class={`progress ${tone}`}>
    <progress value={value} max={Math.max(max, 1)} aria-label={label} />
    <span>{label}</span>
  </div>
)

export type Fact = readonly [title: string, value: ComponentChildren]

/** Titles and values, one pair per line or, with the class `figures`, per box. Skips `false` in the list. */
export const Facts = ({
  class: look = 'facts',
  facts,
}: {
  class?: 'facts' | 'figures' | 'copied-settings'
  facts: readonly (Fact | false)[]
}) => (
  <dl class={look}>
    {facts.map(
      (fact) =>
        fact && (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
    )}
  </dl>
)
