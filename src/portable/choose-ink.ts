/** WCAG 2.2: the part of light that a value from 0 to 255 of a colour gives. */
const toLight = (value: number): number =>
  value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4

/** Above this luminance black has more contrast than white. Each has at least 4.5 on its side. */
const MIDDLE = 0.179

/** Black or white, whichever is easier to read on a colour such as `#4f46e5`. */
export function chooseInk(color: string): '#000000' | '#ffffff' {
  const [red, green, blue] = [1, 3, 5].map((at) =>
    toLight(Number.parseInt(color.slice(at, at + 2), 16)),
  )
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! > MIDDLE ? '#000000' : '#ffffff'
}
