import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { hasTeamRole, type TeamRole } from '../../data/session.ts'
import type { List } from '../../data/use/use-list.ts'
import { Button, ButtonLink } from '../form/form.tsx'
import type { IconName } from '../icon.tsx'
import { Page } from '../page.tsx'
import { Empty } from './empty.tsx'
import { Records } from './records.tsx'
import type { Column } from './table.tsx'

interface ListPageProps<T extends { id: string }> {
  readonly title: string
  readonly text?: string
  readonly list: List<T>
  /** The table's name for screen readers; by default the page's title. */
  readonly caption?: string
  /** The columns, or a function that returns them. Its argument `edit` opens a row's dialog. */
  readonly columns: readonly Column<T>[] | ((edit: (row: T) => void) => readonly Column<T>[])
  readonly href?: (row: T) => string
  readonly icon: IconName
  /** The title of an empty list, and a sentence on what to do first. */
  readonly none: readonly [title: string, text: string]
  /** The label of the button that opens the dialog of a new record; absent: no button. */
  readonly add?: string | false
  /** The URL of the page that creates a new record, if no dialog does. */
  readonly addHref?: string
  /** In place of that button, while the list has records. */
  readonly actions?: ComponentChildren
  readonly needs?: TeamRole
  /** Renders the dialog of a row, which the row's name opens, or of a new record if `row` is undefined. */
  readonly dialog?: (row: T | undefined, close: () => void) => ComponentChildren
  /** Opens the dialog of a new record, at first or when it becomes true: a link may lead to the open page. */
  readonly isAdding?: boolean
  readonly children?: ComponentChildren
  readonly after?: ComponentChildren
}

export function ListPage<T extends { id: string }>(props: ListPageProps<T>) {
  const { title, text, list, columns, href, icon, none, needs, dialog, children } = props
  const [edited, setEdited] = useState<T | 'new' | undefined>(props.isAdding ? 'new' : undefined)
  useEffect(() => {
    if (props.isAdding) setEdited('new')
  }, [props.isAdding])
  const look = { kind: 'primary', needs, children: props.add, 'aria-keyshortcuts': 'N' } as const
  const add =
    props.add &&
    (props.addHref ? (
      <ButtonLink icon="plus" href={props.addHref} {...look} />
    ) : (
      <Button icon="plus" onClick={() => setEdited('new')} {...look} />
    ))
  return (
    <Page title={title} text={text} actions={list.total > 0 && (props.actions ?? add)}>
      {children}
      <Records
        list={list}
        caption={props.caption ?? title}
        columns={typeof columns === 'function' ? columns(setEdited) : columns}
        href={href}
        onOpen={dialog && (!needs || hasTeamRole(needs)) ? setEdited : undefined}
        empty={
          <Empty icon={icon} title={none[0]} action={add}>
            {none[1]}
          </Empty>
        }
      />
      {props.after}
      {edited && dialog?.(edited === 'new' ? undefined : edited, () => setEdited(undefined))}
    </Page>
  )
}
