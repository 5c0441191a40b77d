import type { ComponentChildren, JSX } from 'preact'
import { may, type TeamRole } from '../../data/session.ts'
import { Icon, type IconName } from '../icon.tsx'

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

interface Look {
  readonly kind?: Kind
  readonly icon?: IconName
  /** Only the icon is seen; the words are for screen readers and the tooltip. */
  readonly iconOnly?: boolean
  /** The lowest role that sees the button. */
  readonly needs?: TeamRole
  readonly children?: ComponentChildren
}

export type ButtonProps = Look & {
  /** True while the action runs: the button shows a spinner and is disabled. */
  readonly busy?: boolean
} & Omit<JSX.IntrinsicElements['button'], 'icon' | 'ref'>

/**
 * A button. `type` defaults to `button`: only `type="submit"` submits a form. One `primary` for each view.
 */
export function Button({
  kind = 'plain',
  icon,
  iconOnly,
  busy,
  needs,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  if (needs && !may(needs)) return null
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind} ${iconOnly ? 'icon-only' : ''}`}
      title={iconOnly ? String(children) : rest.title}
      disabled={disabled || busy}
      aria-busy={busy}
    >
      <Inside icon={icon} iconOnly={iconOnly} busy={busy}>
        {children}
      </Inside>
    </button>
  )
}

/** A link that looks like a button: for going somewhere. */
export const ButtonLink = ({
  kind = 'plain',
  icon,
  iconOnly,
  needs,
  children,
  href,
}: Look & { href: string }) =>
  needs && !may(needs) ? null : (
    <a href={href} class={`button ${kind} ${iconOnly ? 'icon-only' : ''}`}>
      <Inside icon={icon} iconOnly={iconOnly}>
        {children}
      </Inside>
    </a>
  )

const Inside = ({ icon, iconOnly, busy, children }: Look & { busy?: boolean | undefined }) => (
  <>
    {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
    <span class={iconOnly ? 'unseen' : ''}>{children}</span>
  </>
)
