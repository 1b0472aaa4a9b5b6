-- CreateTable
CREATE TABLE "public"."external_access" (
    "app_env_id" TEXT NOT NULL,
    "port" INTEGER,
    "allowed_cidrs" TEXT[],
    "max_connections" INTEGER,

    CONSTRAINT "external_access_pkey" PRIMARY KEY ("app_env_id")
);

-- CreateTable
CREATE TABLE "public"."released_port" (
    "port" INTEGER NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "released_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "released_port_pkey" PRIMARY KEY ("port")
);

-- CreateIndex
CREATE UNIQUE INDEX "external_access_port_key" ON "public"."external_access"("port" ASC);

-- AddForeignKey
ALTER TABLE "public"."external_access" ADD CONSTRAINT "external_access_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "public"."app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;
