import type { TeamRole } from '../../data/session.ts'
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
  readonly kind?: 'danger'
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

/** A column of one button a row, which opens the row's actions. `nameOf`: what the row is about. */
export const makeMenuColumn = <T,>(
  actionsOf: (row: T) => readonly RowAction[],
  nameOf: (row: T) => string,
): Column<T> => ({
  title: t('Actions'),
  name: 'menu',
  bare: true,
  align: 'end',
  cell: (row) => (
    <Menu words={t('Actions of {name}', { name: nameOf(row) })} icon="dots" iconOnly quiet floats>
      {(close) => (
        <div class="row-menu">
          {actionsOf(row).map(({ words, onClick, ...look }) =>
            look.href ? (
              <ButtonLink key={words} kind="quiet" {...look} href={look.href}>
                {words}
              </ButtonLink>
            ) : (
              <Button
                key={words}
                kind="quiet"
                {...look}
                onClick={() => {
                  close()
                  onClick?.()
                }}
              >
                {words}
              </Button>
            ),
          )}
        </div>
      )}
    </Menu>
  ),
})
