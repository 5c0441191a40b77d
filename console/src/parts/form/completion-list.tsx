import type { Ref } from 'preact'

interface CompletionRow {
  readonly id: string
  readonly title: string
  /** What the row says beside the title. */
  readonly note: string
}

interface Props<Row> {
  readonly found: readonly Row[]
  /** The index of the chosen row; -1 for none. */
  readonly chosen: number
  readonly onTake: (row: Row) => void
  readonly list: Ref<HTMLDivElement>
  /** The list's id. That of a row is this, `-` and its index, for `aria-activedescendant`. */
  readonly id: string
  readonly label: string
  readonly class?: string
}

/** The completions of what is typed in a text area. The focus and the keys stay in the text area. */
export const CompletionList = <Row extends CompletionRow>(props: Props<Row>) => (
  <div
    ref={props.list}
    class={`popup ${props.class ?? ''}`.trim()}
    id={props.id}
    role="listbox"
    aria-label={props.label}
  >
    {props.found.map((row, i) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the text area has the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the text area keeps the focus and names the active option
      <div
        key={row.id}
        id={`${props.id}-${i}`}
        role="option"
        aria-selected={i === props.chosen}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => props.onTake(row)}
      >
        <strong>{row.title}</strong>
        <span class="note cut">{row.note}</span>
      </div>
    ))}
  </div>
)
