import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useOptedOutNumbers } from '../../../data/opt-out/opted-out.ts'
import { useCountry } from '../../../data/phone/default-country.ts'
import { describeFaults, isNumberList, readNumbers } from '../../../data/phone/number-list.ts'
import { hasKeyboard } from '../../../data/use/media-queries.ts'
import { useNames } from '../../../data/use/use-known.ts'
import type { Groups } from '../../../data/use/use-list.ts'
import { t, tn } from '../../../language/words.ts'
import { NumberCountry } from '../../../parts/form/country-field.tsx'
import { Button } from '../../../parts/form/form.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { addRecipients, type Composition, type Recipient } from '../composition.ts'
import { Chips, useMemberCounts } from './chips.tsx'
import { type Suggestion, useSuggestions } from './use-suggestions.ts'
import './recipients-field.css'
import { findNamed, isPerhapsName } from './find-named.ts'
import { GroupMenu } from './group-menu.tsx'

const MOST_REASONS = 5
/** Keys that finish a typed recipient. */
const ENDS = new Set(['Enter', ',', ';'])

/** The field for recipients: contacts and groups by name, and numbers, typed or pasted. */
export function RecipientsField({
  composition,
  onChange,
  groups,
  error,
}: {
  composition: Composition
  onChange: (part: Partial<Composition>) => void
  groups: Groups
  error: string | undefined
}) {
  const { recipients } = composition
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const [doubles, setDoubles] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const latest = useRef(composition)
  latest.current = composition
  const id = useId()
  const [country, setCountry] = useCountry()
  const suggestions = useSuggestions(typed, groups.items, country)
  const counts = useMemberCounts(composition.groups)
  const phones = recipients.filter(({ fault }) => !fault).map(({ phone }) => phone)
  const findName = useNames(phones)
  const hasOptedOut = useOptedOutNumbers(phones)
  const isShown = isOpen && suggestions.length > 0
  const chosen = isShown ? suggestions[Math.min(active, suggestions.length - 1)] : undefined

  const type = (text: string) => {
    setTyped(text)
    setActive(0)
    setOpen(text.trim() !== '')
  }
  const add = (more: readonly Recipient[]) => {
    const all = addRecipients(recipients, more)
    setDoubles(all.doubles)
    onChange({ recipients: all.recipients })
    type('')
    if (more.some(isPerhapsName)) void nameTyped(all.recipients)
  }
  /** Replaces typed names by the people and groups that have them. */
  const nameTyped = async (given: readonly Recipient[]) => {
    const found = await findNamed(given.filter(isPerhapsName), groups.items)
    if (found.size === 0) return
    const { recipients: now, groups: chosen } = latest.current
    const named = now.flatMap((one) => found.get(one.phone)?.people ?? [one])
    const more = [...found.values()].flatMap(({ group }) => group ?? [])
    onChange({
      recipients: addRecipients([], named).recipients,
      groups: [...new Set([...chosen, ...more])],
    })
  }
  const toggleGroup = (group: string) => {
    const others = composition.groups.filter((each) => each !== group)
    onChange({ groups: others.length < composition.groups.length ? others : [...others, group] })
  }
  const take = (suggestion: Suggestion) => {
    if (suggestion.kind === 'person') return add([suggestion.recipient])
    if (!composition.groups.includes(suggestion.id)) toggleGroup(suggestion.id)
    type('')
  }
  const remove = (phone: string) => {
    onChange({ recipients: recipients.filter((each) => each.phone !== phone) })
    input.current?.focus()
  }
  const bad = recipients.filter(({ fault }) => fault)
  const chooseCountry = (next: string) => {
    setCountry(next)
    const read = recipients.flatMap((one) => (one.typed ? readNumbers(one.typed, next) : [one]))
    onChange({ recipients: addRecipients([], read).recipients })
  }

  useEffect(() => {
    if (hasKeyboard.value && recipients.length + composition.groups.length === 0)
      input.current?.focus()
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      setOpen(true)
      const count = suggestions.length || 1
      setActive((active + (event.key === 'ArrowDown' ? 1 : -1) + count) % count)
    } else if (event.key === 'Escape' && isShown) {
      event.preventDefault()
      setOpen(false)
    } else if (event.key === 'Backspace' && typed === '' && recipients.length > 0)
      remove(recipients.at(-1)!.phone)
    else if (ENDS.has(event.key)) {
      event.preventDefault() // Enter adds a recipient, but does not submit the form
      if (typed.trim() === '') return
      if (chosen && event.key === 'Enter') take(chosen)
      else add(readNumbers(typed, country))
    }
  }
  const onBlur = () => {
    setOpen(false)
    if (typed.trim() !== '') add(readNumbers(typed, country))
  }

  return (
    <div class="field">
      <div class="send-to-head">
        <label for={id}>{t('To')}</label>
        <GroupMenu groups={groups} chosen={composition.groups} onToggle={toggleGroup} />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press beside the text goes to the text */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the text itself has the keys */}
      <div
        class={error ? 'send-to wrong' : 'send-to'}
        onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
      >
        <Chips
          groups={composition.groups.map((group) => ({
            id: group,
            name: groups.findName(group),
            count: counts(group),
          }))}
          recipients={recipients}
          findName={findName}
          hasOptedOut={hasOptedOut}
          onRemoveGroup={toggleGroup}
          onRemove={remove}
        />
        <input
          ref={input}
          id={id}
          type="text"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen ? `${id}-list-${suggestions.indexOf(chosen)}` : undefined}
          aria-invalid={Boolean(error)}
          aria-describedby={`${id}-note`}
          placeholder={recipients.length === 0 ? t('Names or numbers; paste many') : ''}
          autocomplete="off"
          value={typed}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={onBlur}
          onPaste={(event) => {
            const text = event.clipboardData?.getData('text') ?? ''
            if (!isNumberList(text)) return
            event.preventDefault()
            add(readNumbers(typed + text, country))
          }}
        />
        {isShown && (
          <RecipientOptions
            id={`${id}-list`}
            suggestions={suggestions}
            active={chosen}
            onTake={take}
          />
        )}
      </div>
      <div class={error || bad.length > 0 ? 'note wrong send-to-note' : 'note send-to-note'}>
        <span id={`${id}-note`} role="status">
          {bad.length > 0 ? <Unread recipients={bad} /> : error}{' '}
          {doubles > 0 && tn('One was there already.', '{count} were there already.', doubles)}
        </span>
        {bad.length > 0 && (
          <Button
            kind="quiet"
            onClick={() => onChange({ recipients: recipients.filter(({ fault }) => !fault) })}
          >
            {tn('Remove it', 'Remove all {count}', bad.length)}
          </Button>
        )}
      </div>
      <NumberCountry value={country} onValue={chooseCountry} />
    </div>
  )
}

const Unread = ({ recipients }: { recipients: readonly Recipient[] }) => (
  <>
    {tn('One number cannot be read:', '{count} numbers cannot be read:', recipients.length)}{' '}
    {describeFaults(recipients, MOST_REASONS)}
    {recipients.length > MOST_REASONS &&
      ` ${t('And {count} more.', { count: recipients.length - MOST_REASONS })}`}
  </>
)

const RecipientOptions = ({
  id,
  suggestions,
  active,
  onTake,
}: {
  id: string
  suggestions: readonly Suggestion[]
  active: Suggestion | undefined
  onTake: (suggestion: Suggestion) => void
}) => (
  <div class="popup send-options" id={id} role="listbox" aria-label={t('Contacts and groups')}>
    {suggestions.map((suggestion, i) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the combobox keeps the focus and names the active option
      <div
        key={`${suggestion.kind} ${suggestion.id}`}
        id={`${id}-${i}`}
        role="option"
        aria-selected={suggestion === active}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onTake(suggestion)}
      >
        <Icon name={suggestion.kind === 'group' ? 'groups' : 'contacts'} size={16} />
        <span class="cut">{suggestion.words}</span>
        <span class="send-option-more">{suggestion.more}</span>
      </div>
    ))}
  </div>
)
