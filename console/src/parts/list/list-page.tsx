import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { TeamRole } from '../../data/session.ts'
import type { List } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Button, ButtonLink } from '../form/button.tsx'
import type { IconName } from '../icon.tsx'
import { Page } from '../page.tsx'
import { Empty } from './empty.tsx'
import { Records } from './records.tsx'
import type { Column } from './table.tsx'

interface ListPageProps<T extends { id: string }> {
  readonly title: string
  readonly text?: string
  readonly list: List<T>
  /** The table's name; by default the page's. */
  readonly caption?: string
  /** May use `edit`, which opens the dialog of a row. */
  readonly columns: readonly Column<T>[] | ((edit: (row: T) => void) => readonly Column<T>[])
  readonly href?: (row: T) => string
  readonly icon: IconName
  /** The title of an empty list, and what to do first. */
  readonly none: readonly [title: string, text: string]
  /** Words of the button that opens the dialog of a new record; absent: there is none. */
  readonly add?: string | false
  /** Where a new record is made, if not in a dialog. */
  readonly addHref?: string
  readonly needs?: TeamRole
  /** The dialog of a row, or of a new record. */
  readonly dialog?: (row: T | undefined, close: () => void) => ComponentChildren
  /** Whether the dialog of a new record is open at first. */
  readonly isAdding?: boolean
  readonly children?: ComponentChildren
}

/** A page with a list of records, and a dialog that makes or changes one. */
export function ListPage<T extends { id: string }>(props: ListPageProps<T>) {
  const { title, text, list, columns, href, icon, none, needs, dialog, children } = props
  const [edited, setEdited] = useState<T | 'new' | undefined>(props.isAdding ? 'new' : undefined)
  const look = { kind: 'primary', needs, children: props.add } as const
  const add =
    props.add &&
    (props.addHref ? (
      <ButtonLink icon="send" href={props.addHref} {...look} />
    ) : (
      <Button icon="plus" onClick={() => setEdited('new')} {...look} />
    ))
  return (
    <Page title={title} text={text} actions={list.total > 0 && add}>
      {children}
      <Records
        list={list}
        caption={props.caption ?? title}
        columns={typeof columns === 'function' ? columns(setEdited) : columns}
        href={href}
        empty={
          <Empty icon={icon} title={none[0]} action={add}>
            {none[1]}
          </Empty>
        }
      />
      {edited && dialog?.(edited === 'new' ? undefined : edited, () => setEdited(undefined))}
    </Page>
  )
}

interface RowAction {
  readonly icon?: IconName
  readonly words: string
  /** Either. */
  readonly href?: string
  readonly onClick?: () => unknown
  readonly needs?: TeamRole | undefined
  readonly disabled?: boolean
  /** False: the words are seen, too, as they are without an icon. */
  readonly iconOnly?: boolean
}

/** A column of icons to press, such as to change or delete a row. `least`: the role that they need. */
export const actionsColumn = <T,>(
  actionsOf: (row: T) => readonly RowAction[],
  least?: TeamRole,
): Column<T> => ({
  title: t('Actions'),
  bare: true,
  align: 'end',
  cell: (row) => (
    <div class="row-actions">
      {actionsOf(row).map(({ words, href, onClick, needs = least, ...look }) => {
        const props = { kind: 'quiet', needs, iconOnly: look.icon !== undefined, ...look } as const
        return href ? (
          <ButtonLink key={words} href={href} {...props}>
            {words}
          </ButtonLink>
        ) : (
          <Button key={words} onClick={onClick} {...props}>
            {words}
          </Button>
        )
      })}
    </div>
  ),
})
