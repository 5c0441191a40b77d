import { useEffect, useRef, useState } from 'preact/hooks'
import { isSameName } from '#portable/fold-text.ts'
import { createLabel, type Label, MOST_LABELS, setLabel } from '../../data/labels.ts'
import { hasWords } from '../../data/search/words.ts'
import { hasKeyboard } from '../../data/use/media-queries.ts'
import { formatNumber, t } from '../../language/words.ts'
import { makePageHref } from '../../router.ts'
import { Button } from '../form/form.tsx'
import { Icon } from '../icon.tsx'
import { Menu } from '../list/menu.tsx'
import { runWithToast, showToast } from '../toast.tsx'
import { LabelChip } from './label-chip.tsx'

interface Choosing {
  /** The conversations or contacts that get labels. */
  readonly records: Parameters<typeof setLabel>[0]
  readonly labels: readonly Label[]
}

/** A button that opens the labels of an account, to add them to records or to remove them. */
export const LabelMenu = ({
  shortcut,
  iconOnly = false,
  ...choosing
}: Choosing & { shortcut?: string; iconOnly?: boolean }) => (
  <Menu
    words={t('Labels')}
    icon="tag"
    iconOnly={iconOnly}
    shortcut={shortcut}
    disabled={choosing.records.length === 0}
  >
    {() => <LabelChooser {...choosing} />}
  </Menu>
)

/** A field that finds labels by their names, and creates one. Enter sets the first label that it finds. */
function LabelChooser({ records, labels }: Choosing) {
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (hasKeyboard.value) field.current?.focus()
  }, [])
  const name = typed.trim()
  const found = labels.filter((label) => hasWords(label.name, name))
  const isNew = name !== '' && !labels.some((label) => isSameName(label.name, name))
  const isOnAll = ({ id }: Label) => records.every((record) => record.labels.includes(id))
  const isFull = records.some((record) => record.labels.length >= MOST_LABELS)
  const change = async (label: Label, isOn: boolean) => {
    setTyped('')
    const isDone = await runWithToast(() => setLabel(records, label.id, isOn))
    if (isDone && records.length > 1) showChange(records, label, isOn)
    return isDone
  }
  const changeByEnter = async (label: Label) => {
    const isOn = !isOnAll(label)
    // a person who types a name may not see that it is set already
    if ((await change(label, isOn)) && !isOn && records.length === 1)
      showChange(records, label, isOn)
  }
  const create = () =>
    runWithToast(async () => {
      const label = await createLabel(name, labels)
      setTyped('')
      await setLabel(records, label.id, true)
    })
  return (
    <div class="label-chooser">
      <div class="field">
        <input
          ref={field}
          aria-label={t('Find or create a label')}
          placeholder={t('Find or create a label')}
          maxLength={40}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') {
              event.preventDefault()
              field.current
                ?.closest('.label-chooser')
                ?.querySelector<HTMLElement>('button:enabled')
                ?.focus()
            }
            if (event.key !== 'Enter' || name === '' || event.isComposing) return
            event.preventDefault()
            const [first] = isNew ? [] : found
            void (first ? changeByEnter(first) : create())
          }}
        />
      </div>
      {found.map((label) => (
        <Button
          key={label.id}
          kind="quiet"
          aria-pressed={isOnAll(label)}
          disabled={isFull && !isOnAll(label)}
          onClick={() => void change(label, !isOnAll(label))}
        >
          <LabelChip label={label} />
          <Some label={label} records={records} />
        </Button>
      ))}
      {isNew && (
        <Button kind="quiet" icon="plus" disabled={isFull} onClick={() => void create()}>
          {t('Create {name}', { name })}
        </Button>
      )}
      {isFull && (
        <p class="note">{t('At most {count} labels are possible.', { count: MOST_LABELS })}</p>
      )}
      <a class="button quiet" href={makePageHref('/labels')}>
        {t('All labels')}
      </a>
    </div>
  )
}

/** Says that a label was set or removed, with a button that takes it back. */
function showChange(records: Choosing['records'], { id, name }: Label, isOn: boolean): void {
  const changed = records
    .filter(({ labels }) => labels.includes(id) !== isOn)
    .map((record) => ({
      ...record,
      labels: isOn ? [...record.labels, id] : record.labels.filter((one) => one !== id),
    }))
  const undo = () => void runWithToast(() => setLabel(changed, id, !isOn), t('Undone'))
  const words =
    records.length === 1
      ? t('Label {name} removed', { name })
      : isOn
        ? t('Label {name} added: {count}', { name, count: changed.length })
        : t('Label {name} removed: {count}', { name, count: changed.length })
  showToast(words, undo)
}

/** A check if all records have the label; how many have it if some do. */
function Some({ label, records }: { label: Label; records: Choosing['records'] }) {
  const count = records.filter(({ labels }) => labels.includes(label.id)).length
  if (count === records.length) return <Icon name="check" />
  return count > 0 && <span class="muted">{formatNumber(count)}</span>
}
