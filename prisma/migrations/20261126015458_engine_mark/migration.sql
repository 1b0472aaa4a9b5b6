-- CreateTable
CREATE TABLE "public"."engine_mark" (
    "engine_id" TEXT NOT NULL,
    "nonces" TEXT[],
    "place" TEXT NOT NULL,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "engine_mark_pkey" PRIMARY KEY ("engine_id")
);
