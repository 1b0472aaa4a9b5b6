-- CreateTable
CREATE TABLE "public"."app_env_label" (
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "app_env_label_pkey" PRIMARY KEY ("app_env_id","key")
);

-- CreateTable
CREATE TABLE "public"."app_label" (
    "account_id" TEXT NOT NULL,
    "app_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "app_label_pkey" PRIMARY KEY ("app_id","key")
);

-- CreateIndex
CREATE INDEX "app_env_label_account_id_key_value_app_env_id_idx" ON "public"."app_env_label"("account_id" ASC, "key" ASC, "value" ASC, "app_env_id" ASC);

-- CreateIndex
CREATE INDEX "app_label_account_id_key_value_app_id_idx" ON "public"."app_label"("account_id" ASC, "key" ASC, "value" ASC, "app_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."app_env_label" ADD CONSTRAINT "app_env_label_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "public"."app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."app_label" ADD CONSTRAINT "app_label_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "public"."app"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Parts of something else: adding one changes it.
CREATE TRIGGER "NoteChange" AFTER INSERT OR UPDATE OR DELETE ON "public"."app_label" FOR EACH ROW
  WHEN (current_setting('berth.changes', true) <> '') EXECUTE FUNCTION "public"."note_change"();
CREATE TRIGGER "NoteChange" AFTER INSERT OR UPDATE OR DELETE ON "public"."app_env_label" FOR EACH ROW
  WHEN (current_setting('berth.changes', true) <> '') EXECUTE FUNCTION "public"."note_change"();
