import type { Choices } from '../data/choices.ts'
import { type Contact, findOtherNumber, type Message } from '../data/record-types.ts'
import './palette.css'
import { useId, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { readTypedPhone } from '#portable/phone/read-typed-phone.ts'
import { nameContact } from '../data/name-contact.ts'
import { useOptedOutNumbers } from '../data/opt-out/opted-out.ts'
import { defaultCountry } from '../data/phone/default-country.ts'
import { writeContactFilter, writeTextFilter } from '../data/search/filters.ts'
import { canFindTexts, hasWords } from '../data/search/words.ts'
import { hasTeamRole, isUser } from '../data/session.ts'
import { useDebounced } from '../data/use/use-debounced.ts'
import { useList } from '../data/use/use-list.ts'
import { t } from '../language/words.ts'
import { Dialog } from '../parts/dialog/dialog.tsx'
import { Loading } from '../parts/page.tsx'
import { goToPage, makeConversationPath } from '../router.ts'
import { keysOpen, listShortcuts, type PaletteProps, pressShortcut } from './shortcuts.ts'

const FOUND = 5
const MIN_SEARCH = 2
const MOST = 16

interface Command {
  readonly id: string
  readonly words: string
  readonly key?: string
  run(): void
}

const findName = (element: HTMLElement) =>
  element.getAttribute('placeholder') || element.textContent || ''

/** Actions of the open page's keys. The palette's dialog is not part of the page. */
const listOwnCommands = (): Command[] =>
  listShortcuts().map((element) => ({
    id: findName(element),
    words: findName(element),
    key: element.getAttribute('aria-keyshortcuts') ?? '',
    run: () => pressShortcut(element),
  }))

const makeConversationCommand =
  (number: string, at = '') =>
  () =>
    goToPage(makeConversationPath(number), { at })

/** Commands to write to a number, in its conversation and on the page Send. */
const makeNumberCommand = (number: string, who: string, isOut: boolean): Command[] => [
  {
    id: `c${number}`,
    words: isOut
      ? t('Conversation with {name}, opted out', { name: who })
      : t('Conversation with {name}', { name: who }),
    run: makeConversationCommand(number),
  },
  ...(hasTeamRole('agent') && !isOut
    ? [
        {
          id: `s${number}`,
          words: t('Send to {name}', { name: who }),
          run: () => goToPage('/send', { to: number }),
        },
      ]
    : []),
]

const makeTextCommand = (message: Message): Command => {
  const { id, body } = message
  const number = findOtherNumber(message)
  return {
    id: `t${id}`,
    words: t('{name}: {text}', { name: formatPhone(number), text: body }),
    run: makeConversationCommand(number, `sms_messages/${id}`),
  }
}

/** The commands that fit the typed words. `isSearching`: until the server has answered for these words. */
function useCommands(
  typed: string,
  pages: PaletteProps['pages'],
): { readonly found: Command[]; readonly isSearching: boolean } {
  const [own] = useState(listOwnCommands)
  const asked = useDebounced(typed.trim())
  const people = useList<Contact>('contacts', {
    filter: `(${writeContactFilter(asked || '-', defaultCountry.value)})`,
    sort: 'name',
    perPage: FOUND,
    live: false,
    ready: asked.length >= MIN_SEARCH && isUser(),
  })
  const hasTexts = isUser() && canFindTexts(asked)
  const texts = useList<Message>('sms_messages', {
    filter: writeTextFilter(asked, defaultCountry.value),
    fields: 'id,to,from,body,message_type',
    perPage: FOUND,
    isCounted: false,
    live: false,
    ready: hasTexts,
  })
  const contacts = asked.length >= MIN_SEARCH ? people.items : []
  const { phone } = readTypedPhone(typed, defaultCountry.value)
  const hasOptedOut = useOptedOutNumbers(phone && isUser() ? [phone] : [])
  const fixed: Command[] = [
    ...own,
    ...pages
      .filter(({ path }) => !path.includes(':'))
      .map(({ path, title }) => ({ id: path, words: title, run: () => goToPage(path) })),
    { id: '?', words: t('The keys of this page'), key: '?', run: openKeys },
  ]
  const found = [
    ...(phone && isUser() ? makeNumberCommand(phone, formatPhone(phone), hasOptedOut(phone)) : []),
    ...fixed.filter((command) => hasWords(command.words, typed)),
    ...contacts.flatMap((contact) =>
      makeNumberCommand(contact.phone, nameContact(contact), contact.opted_out),
    ),
    ...(hasTexts ? texts.items.map(makeTextCommand) : []),
  ].slice(0, MOST)
  const isAsking = people.loading || texts.loading
  return { found, isSearching: asked !== typed.trim() || (isUser() && isAsking) }
}

const openKeys = () => {
  keysOpen.value = 'keys'
}

/** Goes to a page, a contact or a number, or does what the open page can do. */
export function Palette({ pages, onClose }: PaletteProps) {
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const id = useId()
  const { found, isSearching } = useCommands(typed, pages)
  const at = Math.min(active, found.length - 1)
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    // after the dialog has given back the focus
    setTimeout(() => command.run())
  }
  const press = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: found.length - 1 }
    const step = steps[event.key]
    if (step && found.length > 0) setActive((at + step) % found.length)
    else if (event.key === 'Enter' && !event.isComposing) run(found[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={t('Go to')} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        autofocus
        placeholder={t('Page, contact, number, text or command')}
        aria-label={t('Page, contact, number, text or command')}
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setActive(0)
        }}
        onKeyDown={press}
      />
      <div class="palette" id={id} role="listbox" aria-label={t('Go to')}>
        {found.map((command, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
          <div
            key={command.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => run(command)}
          >
            <span>{command.words}</span>
            {command.key && <kbd>{command.key}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 &&
        (isSearching ? (
          <Loading what={t('Searching')} />
        ) : (
          <p class="muted">{t('Nothing found')}</p>
        ))}
    </Dialog>
  )
}

/** The keys of the open page and of the whole console. */
export function KeyList({ onClose }: PaletteProps) {
  const [own] = useState(listOwnCommands)
  const everywhere: Choices = [
    ['↑ ↓', t('Up and down a list; Enter opens')],
    ['/', t('Search')],
    ['Ctrl K', t('Go to a page, contact or number')],
    ['Esc', t('One step back')],
    ['?', t('The keys of this page')],
  ]
  return (
    <Dialog title={t('The keys of this page')} onClose={onClose}>
      <dl class="key-list">
        {[...own.map(({ key = '', words }) => [key, words] as const), ...everywhere].map(
          ([key, words]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{words}</dd>
            </div>
          ),
        )}
      </dl>
    </Dialog>
  )
}
