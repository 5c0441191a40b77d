import type { TeamRole } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Button, ButtonLink } from '../form/form.tsx'
import type { IconName } from '../icon.tsx'
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
}

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
