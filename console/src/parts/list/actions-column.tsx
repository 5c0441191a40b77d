import type { ComponentChildren } from 'preact'
import { hasTeamRole, type TeamRole } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Button, ButtonLink } from '../form/form.tsx'
import type { IconName } from '../icon.tsx'
import { Menu } from './menu.tsx'
import type { Column } from './table.tsx'

export interface RowAction {
  readonly icon?: IconName
  readonly words: string
  /** The URL of a link. Set either `href` or `onClick`. */
  readonly href?: string
  readonly onClick?: () => unknown
  readonly needs?: TeamRole
  readonly disabled?: boolean
  /** False: shows the words beside the icon. Without an icon, the words are always shown. */
  readonly iconOnly?: boolean
  readonly kind?: 'danger' | 'quiet'
}

export const ActionButton = ({ words, href, onClick, ...look }: RowAction) =>
  href ? (
    <ButtonLink href={href} {...look}>
      {words}
    </ButtonLink>
  ) : (
    <Button onClick={onClick} {...look}>
      {words}
    </Button>
  )

/** A column of buttons, for example to change or delete a row. `least`: the lowest role that sees them. */
export const makeActionsColumn = <T,>(
  actionsOf: (row: T) => readonly RowAction[],
  least?: TeamRole,
): Column<T> => ({
  title: t('Actions'),
  bare: true,
  align: 'end',
  cell: (row) => (
    <div class="row-actions">
      {actionsOf(row).map((action) => (
        <ActionButton
          key={action.words}
          kind="quiet"
          needs={least}
          iconOnly={action.icon !== undefined}
          {...action}
        />
      ))}
    </div>
  ),
})

/** A button that opens a menu of those actions that the person may use. `children`: above them. */
export function ActionsMenu({
  words = t('Actions'),
  quiet,
  actions,
  children,
}: {
  words?: string
  quiet?: boolean
  actions: readonly RowAction[]
  children?: (close: () => void) => ComponentChildren
}) {
  const allowed = actions.filter(({ needs }) => !needs || hasTeamRole(needs))
  if (allowed.length === 0) return null
  return (
    <Menu words={words} icon="dots" iconOnly quiet={quiet} floats>
      {(close) => (
        <div class="row-menu">
          {children?.(close)}
          {allowed.map((action) => (
            <ActionButton
              key={action.words}
              kind="quiet"
              {...action}
              onClick={() => {
                close()
                action.onClick?.()
              }}
            />
          ))}
        </div>
      )}
    </Menu>
  )
}
