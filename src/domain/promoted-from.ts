/** The version of another environment whose image a version runs. */
export interface PromotedFrom {
  appEnvId: string
  contentId: string
  version: number
}

/** The database column is untyped JSON. */
export const recordedPromotion = ({ promotedFrom }: { promotedFrom: unknown }): PromotedFrom | null =>
  promotedFrom as PromotedFrom | null
