import icon from '../icon.svg'

/** The mark of the product. */
export const Logo = ({ size = 28 }: { size?: number }) => <img src={icon} width={size} height={size} alt="" />
