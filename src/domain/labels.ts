export interface Label {
  key: string
  value: string
}

/** As people read and write them. */
export const labelsOf = (labels: readonly Label[]): Record<string, string> =>
  Object.fromEntries(labels.map(({ key, value }) => [key, value]))

/** Of one app or environment. */
export const MAX_LABELS = 32

export const MAX_LABEL_KEY_LENGTH = 128
export const MAX_LABEL_VALUE_LENGTH = 255

const KEY = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/

/** As Kubernetes has keys, so that its labels can be taken over: `team`, `app.kubernetes.io/part-of`. */
export const isLabelKey = (key: string): boolean => key.length <= MAX_LABEL_KEY_LENGTH && KEY.test(key)

export const LABEL_KEY_RULE = `must be a label key of at most ${MAX_LABEL_KEY_LENGTH} characters, such as team or example.com/team: letters, digits, dots, dashes and underscores, with a letter or digit at both ends; before a slash, a domain in lower case`

/** One line of text: values are shown in lists, and compared as a whole. */
export const isLabelValue = (value: string): boolean => !/\p{Cc}/u.test(value) && value.isWellFormed()
