import { useEffect, useRef, useState } from 'preact/hooks'
import { discardUnsent, listUnsentTexts } from '../data/connection/outbox.ts'
import { forgetSharedFiles } from '../data/files/shared-files.ts'
import { isUser, type Session, signOut } from '../data/session.ts'
import { mentioned, unread } from '../data/unread.ts'
import { forgetDrafts } from '../data/use/use-draft.ts'
import { ownSettings } from '../data/user-settings/own.ts'
import { t, tn } from '../language/words.ts'
import type { PageEntry } from '../pages.ts'
import { askToConfirm, Dialog } from '../parts/dialog/dialog.tsx'
import { Button } from '../parts/form/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { makePageHref, mayLeave } from '../router.ts'
import { AccountSwitch } from './account-switch.tsx'
import { HelpLinks } from './help-links.tsx'
import { Logo } from './logo.tsx'
import { findSection, SET_UP } from './own-pages.ts'
import { ThemeSwitch } from './theme-switch.tsx'

interface Props {
  readonly pages: readonly PageEntry[]
  readonly session: Session
  readonly path: string
}

const MAX_SHOWN = 99

/** The groups of the navigation; those without a heading stand in every one, in front. */
const GROUPS = [
  ['work', ''],
  ['rest', ''],
  ['setup', t('Set up')],
  ['server', t('Server')],
] as const

/** The groups beside the page: a user's pages to set up are behind one entry. */
const isBeside = (group: string) => group !== 'setup' || !isUser()

/** The navigation beside the page. It shows the entry of the page, where not all fit. */
export function SideBar({ pages, session, path }: Props) {
  const element = useRef<HTMLElement>(null)
  useEffect(
    () => element.current?.querySelector('a.here')?.scrollIntoView({ block: 'nearest' }),
    [path],
  )
  return (
    <header class="side-bar" ref={element}>
      <a class="skip" href={makePageHref(path)} onClick={skipToPage}>
        {t('Skip to the page')}
      </a>
      <a class="brand" href={makePageHref('/')}>
        <Logo /> <span>pocketsms</span>
      </a>
      <AccountSwitch session={session} />
      <nav aria-label={t('Pages')}>
        <Groups pages={pages} path={path} groups={GROUPS.filter(([group]) => isBeside(group))} />
      </nav>
      <AccountMenu session={session} />
      <More
        isHere={!pages.some((page) => page.group && isAtPage(page, path))}
        pages={pages}
        session={session}
        path={path}
      />
    </header>
  )
}

function skipToPage(event: Event): void {
  event.preventDefault()
  document.getElementById('page')?.focus()
}

export function BottomBar({ pages, session, path }: Props) {
  const barred = pages.filter((page) => page.bar)
  const hidden = !barred.some((page) => isHere(page, pages, path))
  return (
    <nav class="bottom-bar" aria-label={t('Pages')}>
      {session.person.id !== session.record.id && (
        <p class="bar-account">
          {ownSettings.value?.account_name || session.record.name || session.email}
        </p>
      )}
      {barred.map((page) => (
        <PageLink
          key={page.path}
          page={page}
          isHere={isHere(page, pages, path)}
          title={page.short}
        />
      ))}
      <More isHere={hidden} pages={pages} session={session} path={path} />
    </nav>
  )
}

/** A button that opens all pages, the accounts and the account's menu. */
function More({ pages, session, path, isHere = false }: Props & { isHere?: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        class={isHere ? 'more here' : 'more'}
        title={t('More')}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="more" size={22} />
        <span>{t('More')}</span>
      </button>
      {isOpen && (
        <Dialog title="pocketsms" onClose={() => setOpen(false)}>
          <AccountSwitch session={session} />
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the links in it are what is pressed */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys press the links, whose clicks come here */}
          <div onClick={(event) => (event.target as Element).closest('a') && setOpen(false)}>
            <nav class="drawer" aria-label={t('All pages')}>
              <Groups
                pages={pages.filter((page) => page.path !== SET_UP)}
                path={path}
                groups={GROUPS}
              />
            </nav>
            <AccountMenu session={session} />
          </div>
        </Dialog>
      )}
    </>
  )
}

/** The entries of the groups: of a section, its first page. */
const Groups = ({
  pages,
  path,
  groups,
}: Pick<Props, 'pages' | 'path'> & { groups: readonly (typeof GROUPS)[number][] }) => (
  <>
    {groups.map(([group, words]) => {
      const entries = pages.filter(
        (page) => page.group === group && findSection(page, pages)[0] === page,
      )
      if (entries.length === 0) return null
      return (
        <div key={group} class="nav-group">
          {words && <p>{words}</p>}
          {entries.map((page) => (
            <PageLink key={page.path} page={page} isHere={isHere(page, pages, path)} />
          ))}
        </div>
      )
    })}
  </>
)

const isAtPage = (page: PageEntry, path: string) =>
  path === page.path || path.startsWith(`${page.path}/`)

/** Whether the entry leads to the page at `path`: itself, a tab of its section, or a page to set up. */
const isHere = (entry: PageEntry, pages: readonly PageEntry[], path: string): boolean =>
  findSection(entry, pages).some((page) => isAtPage(page, path)) ||
  (entry.path === SET_UP && pages.some((page) => page.group === 'setup' && isAtPage(page, path)))

const PageLink = ({
  page,
  isHere,
  title,
}: {
  page: PageEntry
  isHere: boolean
  title?: string
}) => (
  <a
    href={makePageHref(page.path)}
    class={isHere ? 'here' : ''}
    title={page.title}
    aria-current={isHere ? 'page' : undefined}
  >
    <Icon name={page.icon} size={20} />
    <span>{title ?? page.title}</span>
    {page.countsUnread && <News unread={unread.value} mentions={mentioned.value} />}
  </a>
)

const cut = (count: number) => (count > MAX_SHOWN ? `${MAX_SHOWN}+` : count)

/** How many conversations are unread, and after `@` how many notes mention the person. */
const News = ({ unread, mentions }: { unread: number; mentions: number }) =>
  unread + mentions > 0 ? (
    <strong class="count">
      {unread > 0 && (
        <>
          {cut(unread)}
          <span class="unseen"> {t('unread')}</span>
        </>
      )}
      {mentions > 0 && (
        <>
          {unread > 0 && ' '}@{cut(mentions)}
          <span class="unseen"> {tn('1 mention', '{count} mentions', mentions)}</span>
        </>
      )}
    </strong>
  ) : null

const AccountMenu = ({ session }: { session: Session }) => (
  <div class="account-menu">
    <HelpLinks />
    <ThemeSwitch />
    <div class="account">
      <a href={makePageHref('/account')} title={t('Your account')}>
        <strong>{session.person.email}</strong>
        <span>
          {session.role === 'superuser' || session.isVisit
            ? t('Superuser')
            : session.person.name || t('User')}
        </span>
        <span class="unseen">{t(': your account')}</span>
      </a>
      <Button kind="quiet" icon="leave" iconOnly onClick={() => void leaveAndSignOut()}>
        {t('Sign out')}
      </Button>
    </div>
  </div>
)

async function leaveAndSignOut(): Promise<void> {
  if (!(await mayLeave()) || !(await mayForgetDrafts())) return
  forgetDrafts()
  forgetSharedFiles()
  signOut()
}

async function mayForgetDrafts(): Promise<boolean> {
  const isSure =
    listUnsentTexts().length === 0 ||
    (await askToConfirm({
      title: t('Sign out with unsent texts?'),
      text: t('The texts wait for a connection. Signing out discards them.'),
      action: t('Sign out'),
      danger: true,
    }))
  if (isSure) listUnsentTexts().forEach(discardUnsent)
  return isSure
}
