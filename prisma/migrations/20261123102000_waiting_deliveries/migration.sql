-- Of deliveries that wait only, as the schema says.
DROP INDEX "public"."webhook_delivery_waiting";

CREATE INDEX "webhook_delivery_waiting" ON "public"."webhook_delivery"("webhook_id" ASC, "lane" ASC, "sequence" ASC) WHERE (status = 'PENDING');
