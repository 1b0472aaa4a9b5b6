-- CreateTable
CREATE TABLE "public"."traffic_sample" (
    "app_env_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "source" TEXT NOT NULL,
    "container_name" TEXT NOT NULL,
    "content_id" TEXT NOT NULL,
    "status_1xx" INTEGER NOT NULL DEFAULT 0,
    "status_2xx" INTEGER NOT NULL DEFAULT 0,
    "status_3xx" INTEGER NOT NULL DEFAULT 0,
    "status_4xx" INTEGER NOT NULL DEFAULT 0,
    "status_5xx" INTEGER NOT NULL DEFAULT 0,
    "aborted" INTEGER NOT NULL DEFAULT 0,
    "bytes_in" BIGINT NOT NULL DEFAULT 0,
    "bytes_out" BIGINT NOT NULL DEFAULT 0,
    "durations" INTEGER[] DEFAULT ARRAY[]::INTEGER[],

    CONSTRAINT "traffic_sample_pkey" PRIMARY KEY ("app_env_id","at","source","container_name")
);
